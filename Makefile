# Every target is what a person could type. `make` lists them.
.DEFAULT_GOAL := list
GO ?= go
BIN := bin

list: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: ## a waiting room you can open in a browser, on an embedded MyRedis
	$(GO) run ./cmd/queue-service

build: ## the three commands, into bin/
	$(GO) build -o $(BIN)/ ./cmd/...

test: ## all tests; those that need redis-server or chromium say SKIP without them
	$(GO) test ./...

race: ## all tests under the race detector
	$(GO) test -race ./...

lint: ## gofmt, vet and staticcheck; rewrites nothing
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo 'run make fmt'; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

fmt: ## format the code
	gofmt -w .

promises: ## search every interleaving of a small room, and print what each strategy keeps
	$(GO) run ./cmd/bench check --out out/promises

check: lint test race promises ## what CI runs

check-deep: ## the same search with three instances and millions of states: for a night
	$(GO) run ./cmd/bench check --deep --out out/promises

cover: ## statement coverage by package
	$(GO) test -cover ./...

FUZZTIME ?= 30s
fuzz: ## each fuzz target for FUZZTIME (30s)
	@$(GO) list -f '{{.Dir}} {{.ImportPath}}' ./... | while read dir pkg; do \
	  grep -hoE '^func Fuzz[A-Za-z0-9_]+' $$dir/*_test.go 2>/dev/null | sed 's/func //' | while read f; do \
	    echo "$$pkg $$f"; $(GO) test $$pkg -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) || exit 1; done || exit 1; done

bench: ## Go benchmarks of the structures
	$(GO) test -run '^$$' -bench . -benchmem ./wire ./internal/dict ./sortedset ./commands

# SUITE is an unpacked Redis 7.0.15 source tree. UNITS, EXPECTED (a list of what the real server passes; it is recorded
# from redis-server where there is none) and TAGS are for less than everything: make conformance SUITE=../redis UNITS=unit/expire
UNITS ?= $(shell sed -n 's/^| \(unit\|integration\)\(\/[a-z0-9/-]*\) |.*/\1\2/p' docs/COMPATIBILITY.md)
EXPECTED ?= out/conformance.tsv
conformance: build ## Redis's own test suite on ours: SUITE=an unpacked Redis source tree
	@test -n "$(SUITE)" || { echo 'make conformance SUITE=an-unpacked-redis-7.0.15-source-tree [UNITS="unit/expire ..."]'; exit 2; }
	$(GO) run ./internal/conformance/run -suite "$(SUITE)" -server $(BIN)/myredis -expected "$(EXPECTED)" $(if $(TAGS),-tags="$(TAGS)") $(UNITS)

experiments: build ## every experiment, on MyRedis and a Redis beside it, and a report: 13 minutes
	$(BIN)/bench run all

# The picture is of a run of three instances, so that its curves are long enough to see.
picture: build ## the README's picture, docs/overshoot.svg, from a run of its own
	$(BIN)/bench run overshoot --instances 3 --on myredis --budget 40s --out out/picture
	$(BIN)/bench report out/picture --picture docs/overshoot.svg

figures: build picture ## every experiment, and its figures into docs/EXPERIMENTS.md and the READMEs
	$(BIN)/bench run all --out out/figures
	$(BIN)/bench report out/figures --into docs/EXPERIMENTS.md
	$(BIN)/bench report out/figures --into README.md
	$(BIN)/bench report out/figures --into README.ko.md --lang ko

docs: ## docs/COMMANDS.md from the command table
	$(GO) run ./commands/docgen > docs/COMMANDS.md

clean: ## what the other targets made
	rm -rf $(BIN) out coverage.out

.PHONY: list run build test race lint fmt promises check check-deep cover fuzz bench experiments picture figures docs clean conformance
