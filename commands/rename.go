package commands

import (
	"slices"
	"strings"

	"myredis/internal/config"
)

// rename-command: commands under other names, or under none, as a configuration
// asks. Everything but the look-up of requests goes on calling them as before.

// DeclareRenames lets a configuration rename commands. It is called before the
// configuration is loaded; [New] renames them.
func DeclareRenames(cfg *config.Config) {
	taken := map[string]bool{}
	for _, row := range Table() {
		taken[row.Name] = true
	}
	cfg.OnDirective("rename-command", config.Directive{Apply: func(args []string) error {
		from, to := strings.ToLower(args[0]), strings.ToLower(args[1])
		if !taken[from] {
			return Error("No such command in rename-command")
		}
		taken[from] = false
		switch {
		case taken[to]:
			return Error("Target command name already exists")
		case len(to) > longestName:
			return Error("Target command name is too long")
		}
		taken[to] = to != ""
		cfg.RenamedCommands = append(cfg.RenamedCommands, [2]string{from, to})
		return nil
	}})
}

// rename gives commands the names that the configuration has for them.
func (e *Engine) rename() {
	for _, names := range e.Config.RenamedCommands {
		cmd := e.table[names[0]]
		delete(e.table, names[0])
		if names[1] != "" {
			e.table[names[1]] = cmd
			continue
		}
		e.rows = slices.DeleteFunc(e.rows, func(row *Command) bool { return row == cmd })
	}
}
