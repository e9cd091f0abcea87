package rdb

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"myredis/keyspace"
	"myredis/keyspace/hash"
	"myredis/keyspace/list"
	"myredis/keyspace/set"
	"myredis/sortedset"
)

// content prints what a value holds.
func content(o *keyspace.Object) string {
	var parts []string
	switch v := o.Value.(type) {
	case int64:
		return fmt.Sprint(v)
	case []byte:
		return string(v)
	case *list.List:
		for a := range v.Forward(0) {
			parts = append(parts, a.String())
		}
	case *set.Set:
		for m := range v.All() {
			parts = append(parts, m.String())
		}
	case *hash.Hash:
		for field, value := range v.All() {
			parts = append(parts, field.String()+"="+value.String())
		}
	case *sortedset.Set:
		for item := range v.All() {
			parts = append(parts, fmt.Sprint(item.Member, "=", item.Score))
		}
	}
	if o.Encoding() == keyspace.Hashtable || o.Encoding() == keyspace.Intset {
		slices.Sort(parts) // a table has no order
	}
	return strings.Join(parts, " ")
}

// The forms of old versions are read without a Redis to compare with.
func TestOldForms(t *testing.T) {
	forms := oldForms()
	for name, want := range map[string]string{
		"hash in a ziplist":       "field=value 1=-5 12=300 -70000=8000000 9000000000=" + strings.Repeat("long", 40) + " 13=",
		"hash in a zipmap":        "f=v g=" + strings.Repeat("w", 300) + " h=",
		"sorted set in a ziplist": "a=-Inf b=-1 c=2.5 d=1e+100 e=+Inf",
		"sorted set in text":      "c=-Inf d=-1e+10 a=1.25 b=+Inf",
		"set of strings":          "1 2 3",
	} {
		o, err := Undump(forms[name], generous)
		require.NoError(t, err, name)
		require.Equal(t, want, content(o), name)
	}
}

// A value that is written comes back, whether it is read at once or byte by
// byte.
func TestStream(t *testing.T) {
	for name, body := range newForms(t) {
		want, err := Undump(body, generous)
		require.NoError(t, err, name)
		for _, stream := range []io.Reader{bytes.NewReader(body), iotest.OneByteReader(bytes.NewReader(body)), iotest.DataErrReader(bytes.NewReader(body))} {
			d := Decoder{Limits: generous, source: source{stream: stream}}
			kind, err := d.byte()
			require.NoError(t, err, name)
			got, err := d.value(kind)
			require.NoError(t, err, name)
			require.Equal(t, content(want), content(got), name)
			d.addSum()
			require.Equal(t, Checksum(0, body), d.sum, name)
		}
	}
}

// What a few bytes claim to be long costs no memory.
func TestClaims(t *testing.T) {
	huge := "\x81\x00\x00\x00\xff\xff\xff\xff\xff"
	for _, body := range []string{
		"\x00" + huge, "\x00\x80\x7f\xff\xff\xff", "\x00\xc3" + huge + huge, "\x00\xc3\x03\x80\x7f\xff\xff\xff\xff\xff\xff",
		"\x02" + huge + "\x01a", "\x04" + huge + "\x01a\x01b", "\x05" + huge + "\x01a", "\x03" + huge,
		"\x0b\x08\x08\x00\x00\x00\xff\xff\xff\x7f", "\x10\x07\xff\xff\xff\xff\xff\xff\xff",
	} {
		for _, stream := range []bool{false, true} {
			d := Decoder{Limits: generous, source: source{rest: []byte(body)}}
			if stream {
				d.source = source{stream: strings.NewReader(body)}
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			kind, err := d.byte()
			require.NoError(t, err)
			_, err = d.value(kind)
			runtime.ReadMemStats(&after)
			require.Error(t, err, "%q", body)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), "%q", body)
		}
	}
}

// Whatever is read ends with a value that can be written and read again, or
// with an error.
func FuzzUndump(f *testing.F) {
	for _, forms := range []map[string][]byte{oldForms(), newForms(f)} {
		for _, body := range forms {
			f.Add(body)
		}
	}
	limits := Limits{HashEntries: 20, HashValue: 20, SetIntegers: 20, ZSetEntries: 20, ZSetValue: 20}
	f.Fuzz(func(t *testing.T, body []byte) {
		o, err := Undump(body, limits)
		if err != nil {
			return
		}
		e := Encoder{Compress: true}
		written, ok := Open(e.Dump(o), false)
		require.True(t, ok)
		again, err := Undump(written, limits)
		require.NoError(t, err)
		require.Equal(t, o.Encoding(), again.Encoding())
		if o.Encoding() != keyspace.Hashtable {
			require.Equal(t, content(o), content(again))
		}
	})
}

func ExampleEncoder() {
	var e Encoder
	dump := e.Dump(keyspace.NewObject(keyspace.String, keyspace.Embstr, []byte("hello")))
	fmt.Printf("%q\n", dump[:7])
	if body, ok := Open(dump, false); ok {
		o, err := Undump(body, Limits{})
		fmt.Println(string(o.Value.([]byte)), err)
	}
	// Output:
	// "\x00\x05hello"
	// hello <nil>
}
