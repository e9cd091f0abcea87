// Command docgen prints docs/COMMANDS.md, made from the command table.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"myredis/commands"
)

func main() {
	write(os.Stdout, commands.Table())
}

func write(w io.Writer, rows []*commands.Command) {
	fmt.Fprintf(w, "# Commands\n\nMade from the command table by `make docs`; do not edit. Behaviour is that of Redis %s.\n", commands.RedisVersion)
	byGroup := map[commands.Group][]*commands.Command{}
	var groups []commands.Group
	for _, row := range rows {
		if len(row.Sub) > 0 && row.Run == nil {
			byGroup[row.Group] = append(byGroup[row.Group], row.Sub...)
		} else {
			byGroup[row.Group] = append(append(byGroup[row.Group], row), row.Sub...)
		}
		if !slices.Contains(groups, row.Group) {
			groups = append(groups, row.Group)
		}
	}
	for _, group := range groups {
		fmt.Fprintf(w, "\n## %s\n\n| command | what it does | cost | since |\n|---|---|---|---|\n", group)
		for _, row := range byGroup[group] {
			name := strings.ToUpper(strings.ReplaceAll(row.FullName(), "|", " "))
			fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", escape(strings.TrimSpace(name+" "+row.Syntax)), row.Summary, row.Cost, row.Since)
		}
	}
}

// escape keeps the bars of a grammar from ending a table's cell.
func escape(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
