package server

import (
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/resp"

	"myredis/commands"
	"myredis/internal/redistest"
)

// A history is linearizable if there is an order of its commands, which keeps
// those in order that did not overlap, in which a server that does one after
// the other would have given the same replies. Redis promises it by having one
// thread; a waiting room on Redis rests on it. Here histories of real
// connections are recorded and an order is looked for.

// request is a command on one key.
type request struct {
	key  string
	args []string // as in the model
	wire []string // as sent
}

// member is an element of a sorted set.
type member struct {
	score int
	name  string
}

// value is what one key holds in the sequential model: a string or a sorted
// set, in order.
type value struct {
	text string
	line []member
}

func (v value) equal(w value) bool { return v.text == w.text && slices.Equal(v.line, w.line) }

func (v value) with(score int, name string) (w value, added int) {
	for _, m := range v.line {
		if m.name != name {
			w.line = append(w.line, m)
		}
	}
	added = len(w.line) + 1 - len(v.line)
	w.line = append(w.line, member{score, name})
	slices.SortFunc(w.line, func(a, b member) int {
		if a.score != b.score {
			return a.score - b.score
		}
		return strings.Compare(a.name, b.name)
	})
	return w, added
}

// places is how many members the script in ZADD-IF-ROOM lets into a set.
const places = 3

// scripts are read, decide and write; their isolation is what makes them right.
var scripts = map[string]string{
	"DEL-IF":       `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`,
	"ADD":          `local n = tonumber(redis.call('GET', KEYS[1]) or '0') redis.call('SET', KEYS[1], n + ARGV[1]) return n`,
	"ZADD-IF-ROOM": `if redis.call('ZCARD', KEYS[1]) < ` + strconv.Itoa(places) + ` then return redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2]) end return -1`,
	"ZPOPMIN-BACK": `local m = redis.call('ZPOPMIN', KEYS[1]) if m[1] then redis.call('ZADD', KEYS[1], ARGV[1], m[1]) end return m[1] or ''`,
}

// apply is the sequential model: what a command does to a key and replies.
func (v value) apply(args []string) (value, string) {
	number := func(i int) int { n, _ := strconv.Atoi(args[i]); return n }
	switch args[0] {
	case "SET": // NX
		if v.text != "" {
			return v, ""
		}
		return value{text: args[1]}, "OK"
	case "GET":
		return v, v.text
	case "DEL-IF":
		if v.text != args[1] {
			return v, "0"
		}
		return value{}, "1"
	case "INCR":
		n, _ := strconv.Atoi(v.text)
		text := strconv.Itoa(n + 1)
		return value{text: text}, text
	case "ADD":
		n, _ := strconv.Atoi(v.text)
		return value{text: strconv.Itoa(n + number(1))}, strconv.Itoa(n)
	case "ZADD":
		w, added := v.with(number(1), args[2])
		return w, strconv.Itoa(added)
	case "ZCARD":
		return v, strconv.Itoa(len(v.line))
	case "ZPOPMIN":
		if len(v.line) == 0 {
			return v, "[]"
		}
		first := v.line[0]
		return value{line: v.line[1:]}, fmt.Sprintf("[%s %d]", first.name, first.score)
	case "ZREMRANGEBYSCORE":
		kept := slices.DeleteFunc(slices.Clone(v.line), func(m member) bool { return m.score <= number(2) })
		return value{line: kept}, strconv.Itoa(len(v.line) - len(kept))
	case "ZADD-IF-ROOM":
		if len(v.line) >= places {
			return v, "-1"
		}
		return v.apply([]string{"ZADD", args[1], args[2]})
	case "ZPOPMIN-BACK":
		if len(v.line) == 0 {
			return v, ""
		}
		first := v.line[0].name
		w, _ := value{line: v.line[1:]}.with(number(1), first)
		return w, first
	}
	panic(args[0])
}

// redisModel is the model for the checker, one key at a time.
var redisModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
		byKey := map[string][]porcupine.Operation{}
		for _, op := range history {
			key := op.Input.(request).key
			byKey[key] = append(byKey[key], op)
		}
		for _, part := range byKey {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return value{} },
	Step: func(state, input, output any) (bool, any) {
		next, reply := state.(value).apply(input.(request).args)
		return reply == output.(string), next
	},
	Equal: func(a, b any) bool { return a.(value).equal(b.(value)) },
	DescribeOperation: func(input, output any) string {
		return fmt.Sprintf("%v -> %q", input.(request).args, output)
	},
}

// vocabularies are the commands that a kind of key is asked for.
var vocabularies = map[string][]func(r *rand.Rand) []string{
	"lease": {
		func(r *rand.Rand) []string { return []string{"SET", name(r)} },
		func(r *rand.Rand) []string { return []string{"DEL-IF", name(r)} },
		func(*rand.Rand) []string { return []string{"GET"} },
	},
	"counter": {
		func(*rand.Rand) []string { return []string{"INCR"} },
		func(r *rand.Rand) []string { return []string{"ADD", strconv.Itoa(1 + r.IntN(9))} },
		func(*rand.Rand) []string { return []string{"GET"} },
	},
	"line": {
		func(r *rand.Rand) []string { return []string{"ZADD", score(r), name(r)} },
		func(*rand.Rand) []string { return []string{"ZCARD"} },
		func(*rand.Rand) []string { return []string{"ZPOPMIN"} },
		func(r *rand.Rand) []string { return []string{"ZREMRANGEBYSCORE", "-inf", score(r)} },
		func(r *rand.Rand) []string { return []string{"ZADD-IF-ROOM", score(r), name(r)} },
		func(r *rand.Rand) []string { return []string{"ZPOPMIN-BACK", score(r)} },
	},
}

func name(r *rand.Rand) string  { return string(rune('a' + r.IntN(6))) }
func score(r *rand.Rand) string { return strconv.Itoa(r.IntN(10)) }

// draw makes a random request to a key of a kind.
func draw(r *rand.Rand, kind, key string) request {
	words := vocabularies[kind]
	args := words[r.IntN(len(words))](r)
	q := request{key: key, args: args}
	switch script, isScript := scripts[args[0]]; {
	case isScript:
		q.wire = append([]string{"EVAL", script, "1", key}, args[1:]...)
	case args[0] == "SET":
		q.wire = []string{"SET", key, args[1], "NX"}
	default:
		q.wire = append([]string{args[0], key}, args[1:]...)
	}
	return q
}

const (
	writers  = 5  // connections
	requests = 12 // of each
)

// history has all connections send random requests to keys of the given kinds
// at once, and records what they were answered and when.
func history(t *testing.T, conns []net.Conn, seed uint64, kinds ...string) []porcupine.Operation {
	t.Helper()
	began := time.Now()
	histories := make([][]porcupine.Operation, len(conns))
	start := make(chan struct{})
	var all sync.WaitGroup
	for i, nc := range conns {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			w, replies := resp.NewWriter(nc), resp.NewReader(nc)
			<-start
			for range requests {
				kind := kinds[r.IntN(len(kinds))]
				q := draw(r, kind, fmt.Sprintf("%s:%d", kind, seed))
				op := porcupine.Operation{ClientId: i, Input: q, Call: int64(time.Since(began))}
				if err := w.WriteMultiBulk(q.wire[0], toAny(q.wire[1:])...); err != nil {
					t.Error(err)
					return
				}
				reply, _, err := replies.ReadValue()
				if err != nil {
					t.Error(err)
					return
				}
				op.Output, op.Return = reply.String(), int64(time.Since(began))
				histories[i] = append(histories[i], op)
			}
		})
	}
	close(start)
	all.Wait()
	require.False(t, t.Failed())
	return slices.Concat(histories...)
}

func toAny(words []string) (out []any) {
	for _, w := range words {
		out = append(out, w)
	}
	return out
}

func connect(t *testing.T, addr string) (conns []net.Conn) {
	for range writers {
		nc, err := net.Dial("tcp", addr)
		require.NoError(t, err)
		t.Cleanup(func() { nc.Close() })
		require.NoError(t, nc.SetDeadline(time.Now().Add(20*time.Second)))
		conns = append(conns, nc)
	}
	return conns
}

func randomSeed(t *testing.T) uint64 {
	seed := rand.Uint64() >> 16
	t.Logf("seed %d", seed)
	return seed
}

// The model knows a history that no order explains from one that has one.
func TestModelTellsHistoriesApart(t *testing.T) {
	op := func(call, ret int64, reply string, args ...string) porcupine.Operation {
		return porcupine.Operation{Input: request{key: "k", args: args}, Output: reply, Call: call, Return: ret}
	}
	for name, c := range map[string]struct {
		history []porcupine.Operation
		want    bool
	}{
		"one winner":          {[]porcupine.Operation{op(1, 5, "OK", "SET", "a"), op(2, 6, "", "SET", "b")}, true},
		"two winners":         {[]porcupine.Operation{op(1, 5, "OK", "SET", "a"), op(2, 6, "OK", "SET", "b")}, false},
		"overlapping":         {[]porcupine.Operation{op(1, 5, "2", "INCR"), op(2, 6, "1", "INCR")}, true},
		"out of order":        {[]porcupine.Operation{op(1, 2, "2", "INCR"), op(3, 6, "1", "INCR")}, false},
		"popped twice":        {[]porcupine.Operation{op(1, 2, "1", "ZADD", "3", "a"), op(3, 6, "[a 3]", "ZPOPMIN"), op(3, 6, "[a 3]", "ZPOPMIN")}, false},
		"popped before added": {[]porcupine.Operation{op(1, 9, "1", "ZADD", "3", "a"), op(2, 3, "[a 3]", "ZPOPMIN"), op(4, 5, "0", "ZCARD")}, true},
	} {
		require.Equal(t, c.want, porcupine.CheckOperations(redisModel, c.history), name)
	}
}

// With one worker every history is linearizable, however often another would
// like to fall in.
func TestOneWorkerIsLinearizable(t *testing.T) {
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		s.Do(func(e *commands.Engine) { e.Keys.Gap = runtime.Gosched })
		explained(t, s.Addr())
	})
}

// A real Redis is, by the same measure.
func TestRedisIsLinearizable(t *testing.T) { explained(t, redistest.Start(t).Addr) }

// explained records histories and has each explained by an order.
func explained(t *testing.T, addr string) {
	conns, seed := connect(t, addr), randomSeed(t)
	const histories = 60
	overlaps := 0
	for i := range uint64(histories) {
		h := history(t, conns, seed+i, "lease", "counter", "line")
		overlaps += overlapping(h)
		require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(redisModel, h, 5*time.Second), "seed %d\n%s", seed+i, describe(h))
	}
	require.Positive(t, overlaps, "histories without overlaps show nothing")
	t.Logf("%d histories of %d commands, %d pairs overlapping on one key", histories, writers*requests, overlaps)
}

// With several workers and a gap some history has no order that explains it,
// for each kind of key.
func TestSeveralWorkersAreNotLinearizable(t *testing.T) {
	for _, gap := range []string{"yield", "50us"} {
		for kind := range vocabularies {
			t.Run(gap+"/"+kind, func(t *testing.T) {
				s := start(t, map[string]string{"workers": "4", "gap": gap})
				conns := connect(t, s.Addr())
				seed := randomSeed(t)
				const bound = 300
				for i := range uint64(bound) {
					h := history(t, conns, seed+i, kind)
					if porcupine.CheckOperationsTimeout(redisModel, h, time.Second) == porcupine.Illegal {
						t.Logf("history %d cannot be explained by any order", i+1)
						return
					}
				}
				t.Fatalf("%d histories, and all are linearizable or too hard to tell", bound)
			})
		}
	}
}

// overlapping counts the pairs of operations on one key that overlap in time.
func overlapping(h []porcupine.Operation) (n int) {
	for i, a := range h {
		for _, b := range h[:i] {
			if a.Input.(request).key == b.Input.(request).key && a.Call <= b.Return && b.Call <= a.Return {
				n++
			}
		}
	}
	return n
}

func describe(h []porcupine.Operation) string {
	var b strings.Builder
	for _, op := range h {
		fmt.Fprintf(&b, "%d: %9d-%9d %s %s\n", op.ClientId, op.Call, op.Return, op.Input.(request).key, redisModel.DescribeOperation(op.Input, op.Output))
	}
	return b.String()
}
