package commands_test

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"myredis/commands"
	"myredis/internal/config"
)

// What a command costs between its bytes being cut and its reply being
// appended, among 100 000 keys or members.
func BenchmarkExec(b *testing.B) {
	const many = 100_000
	e := commands.New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	c := e.Connect(nil, "tcp", "127.0.0.1:1", "127.0.0.1:2")
	run := func(line string) {
		var args [][]byte
		for _, word := range strings.Fields(line) {
			args = append(args, []byte(word))
		}
		e.Exec(c, args)
		c.Out.Buf = c.Out.Buf[:0]
	}
	for i := range many {
		run(fmt.Sprintf("SET key:%012d xxx", i))
		run(fmt.Sprintf("ZADD line %d member:%012d", i, i))
	}
	for _, bm := range []struct{ name, line string }{
		{"SET", "SET key:%012d xxx"}, {"SET NX taken", "SET key:%012d xxx NX"}, {"GET", "GET key:%012d"}, {"INCR", "INCR count:%012d"},
		{"ZADD same", "ZADD line XX 1 member:%012d"}, {"ZSCORE", "ZSCORE line member:%012d"}, {"ZRANK", "ZRANK line member:%012d"}, {"ZCARD", "ZCARD line"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			requests := make([][][]byte, 4096)
			for i := range requests {
				line := bm.line
				if strings.Contains(line, "%") {
					line = fmt.Sprintf(line, i*many/len(requests))
				}
				for _, word := range strings.Fields(line) {
					requests[i] = append(requests[i], []byte(word))
				}
			}
			b.ReportAllocs()
			e.Turn()
			for i := 0; b.Loop(); i++ {
				e.Exec(c, requests[i%len(requests)])
				if c.Out.Len() > 1<<14 {
					c.Out.Buf = c.Out.Buf[:0]
				}
			}
		})
	}
}
