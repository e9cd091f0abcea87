package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/resp"

	"myredis/commands"
	"myredis/internal/config"
)

// store is a MyRedis keyspace without a server, whose contents can be taken
// down and put back.
type store struct {
	engine *commands.Engine
	client *commands.Client
	pipe   bytes.Buffer // replies on their way to the reader
	reader *resp.Reader
	now    string // the snapshot it holds; "" when it may have changed
}

func newStore() *store {
	e := commands.New(config.Default(), nil, slog.New(slog.DiscardHandler))
	s := &store{engine: e, client: e.Connect(nil, "tcp", "check:1", "check:2")}
	s.reader = resp.NewReader(&s.pipe)
	e.Turn()
	return s
}

// Do implements [queue.Backend].
func (s *store) Do(_ context.Context, args ...any) (any, error) {
	request := make([][]byte, len(args))
	for i, a := range args {
		request[i] = word(a)
	}
	if !reads[fmt.Sprint(args[0])] {
		s.now = ""
	}
	s.client.Out.Buf = s.client.Out.Buf[:0]
	s.engine.Exec(s.client, request)
	s.pipe.Write(s.client.Out.Buf)
	value, _, err := s.reader.ReadValue()
	if err != nil {
		return nil, fmt.Errorf("read the reply to %v: %w", args, err)
	}
	return reply(value)
}

// reads are the commands that leave a snapshot true.
var reads = map[string]bool{
	"ZSCORE": true, "ZMSCORE": true, "ZRANK": true, "ZCARD": true, "ZCOUNT": true, "ZRANGE": true, "ZRANGEBYSCORE": true,
	"GET": true, "PTTL": true, "HMGET": true, "HGETALL": true, "KEYS": true, "TYPE": true, "PUBLISH": true,
}

func word(a any) []byte {
	switch a := a.(type) {
	case string:
		return []byte(a)
	case int:
		return strconv.AppendInt(nil, int64(a), 10)
	case int64:
		return strconv.AppendInt(nil, a, 10)
	}
	return fmt.Append(nil, a)
}

func reply(v resp.Value) (any, error) {
	if v.IsNull() {
		return nil, nil
	}
	switch v.Type() {
	case resp.Error:
		return nil, errors.New(v.String())
	case resp.Integer:
		return int64(v.Integer()), nil
	case resp.Array:
		list := make([]any, len(v.Array()))
		for i, e := range v.Array() {
			list[i], _ = reply(e)
		}
		return list, nil
	}
	return v.String(), nil
}

// A snapshot has one line for each key: the command that makes it.
const words = "\x00"

// snapshot takes down every key.
func (s *store) snapshot() string {
	if s.now != "" {
		return s.now
	}
	keys := strings.Fields(s.text("KEYS", "*"))
	slices.Sort(keys)
	var b strings.Builder
	b.WriteString("store\n")
	for _, key := range keys {
		switch kind := s.text("TYPE", key); kind {
		case "string":
			b.WriteString(strings.Join([]string{"SET", key, s.text("GET", key)}, words))
			if s.text("PTTL", key) != "-1" {
				b.WriteString(words + "PX" + words + longLease)
			}
		case "zset":
			b.WriteString("ZADD" + words + key)
			members := strings.Fields(s.text("ZRANGE", key, "0", "-1", "WITHSCORES"))
			for i := 0; i < len(members); i += 2 {
				b.WriteString(words + members[i+1] + words + members[i])
			}
		case "hash":
			b.WriteString("HSET" + words + key)
			fields := strings.Fields(s.text("HGETALL", key))
			for _, f := range fields {
				b.WriteString(words + f)
			}
		default:
			panic("check: a room keeps a " + kind)
		}
		b.WriteByte('\n')
	}
	s.now = b.String()
	return s.now
}

// longLease outlasts every search: that a lease lapses is the search's choice.
const longLease = "360000000"

// restore puts back what snapshot took down.
func (s *store) restore(snapshot string) {
	if s.now == snapshot {
		return
	}
	s.text("FLUSHALL")
	for line := range strings.SplitSeq(snapshot, "\n") {
		if line != "" && line != "store" {
			args := []any{}
			for w := range strings.SplitSeq(line, words) {
				args = append(args, w)
			}
			if _, err := s.Do(context.Background(), args...); err != nil {
				panic(fmt.Sprintf("check: restore %q: %v", line, err))
			}
		}
	}
	s.now = snapshot
}

// text is a reply as words.
func (s *store) text(args ...any) string {
	v, err := s.Do(context.Background(), args...)
	if err != nil {
		panic(fmt.Sprintf("check: %v: %v", args, err))
	}
	if list, ok := v.([]any); ok {
		var b strings.Builder
		for _, e := range list {
			fmt.Fprintln(&b, e)
		}
		return b.String()
	}
	return fmt.Sprint(v)
}

// show is a snapshot for people, the keys without the room's tag.
func show(snapshot, tag string) (lines []string) {
	for line := range strings.SplitSeq(snapshot, "\n") {
		parts := strings.Split(line, words)
		if len(parts) < 3 {
			continue
		}
		name, values := strings.TrimPrefix(parts[1], tag), parts[2:]
		text := name + " = " + strings.Join(values, " ")
		if parts[0] == "SET" {
			text = name + " = " + values[0]
		}
		if parts[0] == "ZADD" {
			text = name + " ="
			for i := 0; i+1 < len(values); i += 2 {
				text += " " + values[i+1] + ":" + values[i]
			}
		}
		lines = append(lines, text)
	}
	return lines
}
