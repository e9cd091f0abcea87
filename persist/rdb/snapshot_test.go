package rdb

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"myredis/keyspace"
)

// snapshotOf writes a snapshot with some of everything.
func snapshotOf(t testing.TB, w *Writer) {
	w.Aux("redis-ver", "7.0.15")
	w.Aux("redis-bits", "64")
	w.Library("#!lua name=lib\n")
	ks := keyspace.New(3)
	for i, n := range []int{2, 0, 2000} {
		db := ks.DB(i)
		for k := range n {
			key := fmt.Sprint("key:", k)
			db.Put(key, keyspace.NewObject(keyspace.String, keyspace.Raw, []byte(strings.Repeat(key, k%50))))
			if k%2 == 1 {
				db.SetExpire(key, int64(k)*1000)
			}
		}
		if n > 0 {
			w.Select(i, n, n/2)
			db.All(func(o *keyspace.Object) bool {
				w.Key(o, Use{Idle: int64(len(o.Key())), Frequency: -1})
				return true
			})
		}
	}
	require.NoError(t, w.Close())
}

// readAll prints the parts of a snapshot.
func readAll(r io.Reader) (parts []string, err error) {
	reader, err := NewReader(r, generous)
	if err != nil {
		return nil, err
	}
	for {
		switch part, err := reader.Next(); part := part.(type) {
		case nil:
			if err == io.EOF {
				err = nil
			}
			return parts, err
		case *Key:
			parts = append(parts, fmt.Sprint(part.DB, part.Name, content(part.Object), part.ExpireAt, part.Use))
		default:
			parts = append(parts, fmt.Sprint(part))
		}
	}
}

// What is written is read, however the stream delivers it, and nothing of it
// can be changed or cut off without being noticed.
func TestSnapshot(t *testing.T) {
	var b bytes.Buffer
	snapshotOf(t, NewWriter(&b, &Encoder{Compress: true}))
	want, err := readAll(bytes.NewReader(b.Bytes()))
	require.NoError(t, err)
	require.Len(t, want, 2+1+2+2000)
	require.Equal(t, "{redis-ver 7.0.15}", want[0])
	for _, stream := range []io.Reader{iotest.OneByteReader(bytes.NewReader(b.Bytes())), iotest.HalfReader(bytes.NewReader(b.Bytes()))} {
		got, err := readAll(stream)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for n := 0; n < b.Len(); n += 997 {
		_, err := readAll(bytes.NewReader(b.Bytes()[:n]))
		require.Error(t, err, "%d bytes", n)
		damaged := bytes.Clone(b.Bytes())
		damaged[n] ^= 1
		_, err = readAll(bytes.NewReader(damaged))
		require.Error(t, err, "byte %d changed", n)
	}
}

func TestSnapshotWithoutChecksum(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, &Encoder{})
	w.Unsummed = true
	snapshotOf(t, w)
	require.True(t, bytes.HasSuffix(b.Bytes(), make([]byte, 8)))
	_, err := readAll(&b)
	require.NoError(t, err)
}

// What the stream fails with is what the reader fails with.
func TestSnapshotStreamFails(t *testing.T) {
	_, err := readAll(io.MultiReader(strings.NewReader("REDIS0010\xfa"), iotest.ErrReader(io.ErrClosedPipe)))
	require.ErrorIs(t, err, io.ErrClosedPipe)
	w := NewWriter(failing{}, &Encoder{})
	require.ErrorIs(t, w.Close(), io.ErrClosedPipe)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestSnapshotOfOldVersions(t *testing.T) {
	for text, want := range map[string]string{
		"REDIS0001\xfe\x00\x00\x01k\x01v\xff":                                 "[0kv0 {-1 -1}]",
		"REDIS0004\xfe\x02\xfd\x01\x00\x00\x00\x00\x01k\x01v\xff":             "[2kv1000 {-1 -1}]",
		"REDIS0003\xfe\x02\xfd\xff\xff\xff\xff\x00\x01k\x01v\xff":             "[2kv1 {-1 -1}]",
		"REDIS0003\x02\x01e\x00\x00\x01k\x01v\xff":                            "[0kv0 {-1 -1}]", // an empty set
		"REDIS0009\xf9\x07\x00\x01k\x01v\xff\x00\x00\x00\x00\x00\x00\x00\x00": "[0kv0 {-1 7}]",
	} {
		parts, err := readAll(strings.NewReader(text))
		require.NoError(t, err, "%q", text)
		require.Equal(t, want, fmt.Sprint(parts), "%q", text)
	}
	for _, text := range []string{"", "REDIS", "REDIS0011\xff", "REDIS0000\xff", "REDIS00x1\xff", "redis0001\xff"} {
		_, err := readAll(strings.NewReader(text))
		require.Error(t, err, "%q", text)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("REDIS0004\xfe\x02\xfd\x01\x00\x00\x00\x00\x01k\x01v\xff"))
	f.Add([]byte("REDIS0010\xfa\x01a\x01b\xf5\x04code\xfe\x00\xfb\x01\x00\xf8\x05\x00\x01k\x01v\xff\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) { readAll(bytes.NewReader(b)) })
}
