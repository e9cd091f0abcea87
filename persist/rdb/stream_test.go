package rdb

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/keyspace"
	"myredis/keyspace/stream"
)

func streamObject() *keyspace.Object {
	s := new(stream.Stream)
	text := func(words ...string) (list [][]byte) {
		for _, word := range words {
			list = append(list, []byte(word))
		}
		return list
	}
	for i := range 12 {
		id := stream.ID{MS: uint64(i*i + 1), Seq: uint64(i)}
		s.Append(id, text("field", "value", "n", strconv.Itoa(i)), stream.Limits{Entries: 5})
	}
	s.Append(stream.ID{MS: 1000}, text("other", ""), stream.Limits{})
	s.CreateGroup("g", stream.ID{MS: 5, Seq: 2}, 3)
	g := s.Group("g")
	ann, _ := g.CreateConsumer("ann", 1)
	bob, _ := g.CreateConsumer("bob", 2)
	g.Assign(stream.ID{MS: 1}, ann, 3)
	g.Assign(stream.ID{MS: 2, Seq: 1}, bob, 4)
	return keyspace.NewObject(keyspace.Stream, keyspace.StreamEncoding, s)
}

// However a stream is damaged, it is refused, or read as one that can be written
// and read again.
func TestDamagedStreams(t *testing.T) {
	e := Encoder{}
	body := e.AppendValue([]byte{typeStream2}, streamObject())
	whole, err := Undump(body, generous)
	require.NoError(t, err)
	require.Equal(t, body, e.AppendValue([]byte{typeStream2}, whole))
	for seed := range uint64(20000) {
		o, err := Undump(damage(body, seed), generous)
		if err != nil || o.Kind() != keyspace.Stream {
			continue
		}
		again := e.AppendValue([]byte{typeStream2}, o)
		o, err = Undump(again, generous)
		require.NoError(t, err, "seed %d", seed)
		require.Equal(t, again, e.AppendValue([]byte{typeStream2}, o), "seed %d", seed)
	}
}
