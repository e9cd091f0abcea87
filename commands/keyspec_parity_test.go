package commands_test

import (
	"io"
	"log/slog"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"myredis/commands"
	"myredis/internal/config"
	"myredis/internal/redistest"
)

// What COMMAND GETKEYSANDFLAGS finds in requests of any command, sensible and
// not, is what Redis finds.
func TestKeysParity(t *testing.T) {
	redis := redistest.Start(t)
	engine := commands.New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	request := anyRequest()
	rapid.Check(t, func(t *rapid.T) {
		var history [][]string
		for _, line := range rapid.SliceOfN(request, 50, 50).Draw(t, "requests") {
			history = append(history, append([]string{"COMMAND", oneOf("GETKEYS", "GETKEYSANDFLAGS").Draw(t, "about")}, line...))
		}
		want, _ := replay(t, redis.Addr, 2, history)
		got, _ := replayHere(engine, 2, history)
		for i, command := range history {
			require.Equal(t, want[i], got[i], "%q", command)
		}
	})
}

// anyRequest draws the name of a command and words that mean something to one
// that looks for keys.
func anyRequest() *wordsGen {
	var names [][]string
	for _, row := range commands.Table() {
		if len(row.Sub) == 0 {
			names = append(names, []string{row.Name})
		}
		for _, sub := range row.Sub {
			if !slices.Contains(laterThanRedis, sub.FullName()) {
				names = append(names, []string{row.Name, sub.Name})
			}
		}
	}
	word := mostly(
		oneOf("a", "b", "c", "0", "1", "2", "3", "LEFT", "KEYS", "STORE", "storedist", "STREAMS", "COUNT", "GET", "SET", "BY", "LIMIT", "WEIGHTS"),
		oneOf("-1", "100", "", "x")) // of a count such as 01 Redis asks atoi where its specifications give up
	return rapid.Custom(func(t *rapid.T) []string {
		name := rapid.SampledFrom(names).Draw(t, "name")
		return append(append([]string{}, name...), rapid.SliceOfN(word, 0, 8).Draw(t, "words")...)
	})
}
