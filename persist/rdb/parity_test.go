package rdb

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/resp"

	"myredis/internal/atom"
	"myredis/internal/redistest"
	"myredis/keyspace"
)

// generous limits let every value that is small keep a compact encoding, in
// which its elements have an order.
var generous = Limits{HashEntries: 1000, HashValue: 1000, SetIntegers: 1000, ZSetEntries: 1000, ZSetValue: 1000}

// dialRedis starts a Redis that checks what it is given, but no checksums.
func dialRedis(t testing.TB) func(args ...any) resp.Value {
	server := redistest.Start(t, "--enable-debug-command", "yes", "--sanitize-dump-payload", "yes", "--rdbcompression", "no",
		"--hash-max-listpack-entries", "1000", "--hash-max-listpack-value", "1000", "--set-max-intset-entries", "1000",
		"--zset-max-listpack-entries", "1000", "--zset-max-listpack-value", "1000")
	nc, err := net.Dial("tcp", server.Addr)
	require.NoError(t, err)
	t.Cleanup(func() { nc.Close() })
	conn := resp.NewConn(nc)
	do := func(args ...any) resp.Value {
		require.NoError(t, conn.WriteMultiBulk(args[0].(string), args[1:]...))
		v, _, err := conn.ReadValue()
		require.NoError(t, err, "%q", args)
		return v
	}
	require.Equal(t, "OK", do("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", "1").String())
	return do
}

// oldForms are bodies of dumps as versions before 7.0 wrote them.
func oldForms() map[string][]byte {
	elements := []string{"field", "value", "1", "-5", "12", "300", "-70000", "8000000", "9000000000", strings.Repeat("long", 40), "13", ""}
	scored := []string{"a", "-inf", "b", "-1", "c", "2.5", "d", "1e100", "e", "inf"}
	small := []string{"f", "v", "g", strings.Repeat("w", 300), "h", ""}
	return map[string][]byte{
		"hash in a ziplist":       packedForm(typeHashZiplist, makeZiplist(elements...)),
		"hash in a zipmap":        packedForm(typeHashZipmap, makeZipmap(small...)),
		"sorted set in a ziplist": packedForm(typeZSetZiplist, makeZiplist(scored...)),
		"sorted set in text":      append([]byte{typeZSetText, 4}, "\x01a\x041.25\x01b\xfe\x01c\xff\x01d\x06-1e+10"...),
		"list":                    append([]byte{typeList, 4}, "\xc0\x03\x03abc\x00\x051e100"...),
		"list in a ziplist":       packedForm(typeListZiplist, makeZiplist(elements...)),
		"list of ziplists": append(append(append([]byte{typeListOfZiplists, 3}, packedForm(typeListOfZiplists, makeZiplist(elements...))[1:]...),
			packedForm(typeListOfZiplists, makeZiplist())[1:]...), packedForm(typeListOfZiplists, makeZiplist(small...))[1:]...),
		"set of strings": append([]byte{typeSet, 3}, "\xc0\x03\x011\xc1\x02\x00"...),
	}
}

func packedForm(kind byte, b []byte) []byte {
	var e Encoder
	return e.AppendString([]byte{kind}, b)
}

// makeZiplist packs strings as Redis did up to 6.2.
func makeZiplist(elements ...string) []byte {
	b := make([]byte, ziplistHeader)
	last, previous := len(b), 0
	for _, s := range elements {
		last = len(b)
		if previous < 254 {
			b = append(b, byte(previous))
		} else {
			b = binary.LittleEndian.AppendUint32(append(b, 254), uint32(previous))
		}
		b = append(b, ziplistElement(s)...)
		previous = len(b) - last
	}
	b = append(b, packEnd)
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	binary.LittleEndian.PutUint32(b[4:], uint32(last))
	binary.LittleEndian.PutUint16(b[8:], uint16(len(elements)))
	return b
}

func ziplistElement(s string) []byte {
	var n int64
	if _, err := fmt.Sscan(s, &n); err == nil && fmt.Sprint(n) == s {
		switch wide := binary.LittleEndian.AppendUint64(nil, uint64(n)); {
		case 0 <= n && n <= 12:
			return []byte{0xf1 + byte(n)}
		case n == int64(int8(n)):
			return append([]byte{0xfe}, wide[:1]...)
		case n == int64(int16(n)):
			return append([]byte{0xc0}, wide[:2]...)
		case -1<<23 <= n && n < 1<<23:
			return append([]byte{0xf0}, wide[:3]...)
		case n == int64(int32(n)):
			return append([]byte{0xd0}, wide[:4]...)
		default:
			return append([]byte{0xe0}, wide...)
		}
	}
	switch {
	case len(s) < 1<<6:
		return append([]byte{byte(len(s))}, s...)
	case len(s) < 1<<14:
		return append([]byte{1<<6 | byte(len(s)>>8), byte(len(s))}, s...)
	}
	return append(binary.BigEndian.AppendUint32([]byte{2 << 6}, uint32(len(s))), s...)
}

// makeZipmap packs fields and values as Redis did up to 2.4, with bytes unused
// behind some values.
func makeZipmap(elements ...string) []byte {
	b := []byte{byte(len(elements) / 2)}
	for i, s := range elements {
		if len(s) < 254 {
			b = append(b, byte(len(s)))
		} else {
			b = binary.LittleEndian.AppendUint32(append(b, 254), uint32(len(s)))
		}
		unused := 0
		if i%2 == 1 {
			unused = i / 2
			b = append(b, byte(unused))
		}
		b = append(append(b, s...), make([]byte, unused)...)
	}
	return append(b, packEnd)
}

// newForms are bodies of dumps as this package writes them.
func newForms(t testing.TB) map[string][]byte {
	hash := newListpack(nil)
	zset := newListpack(nil)
	for i, s := range []string{"a", "1", "b", "-5", "c", "300", "d", "4000", "e", "70000", "f", "9000000", "g", "-3000000000", "h", strings.Repeat("x", 70),
		"i", strings.Repeat("y", 200), "j", "", "k", strings.Repeat("z", 5000)} {
		hash.add(atom.Of(s))
		if i%2 == 0 {
			zset.add(atom.Of(s))
			zset.add(atom.Of(fmt.Sprint(float64(i) * 1.5)))
		}
	}
	integers, err := Undump(append([]byte{typeSet, 4}, "\x011\x012\x0530000\x0570000"...), generous)
	require.NoError(t, err)
	var e Encoder
	compressed := Encoder{Compress: true}
	fields := hash.bytes()
	return map[string][]byte{
		"hash in a listpack":       packedForm(typeHashListpack, fields),
		"compressed hash":          compressed.AppendString([]byte{typeHashListpack}, fields),
		"sorted set in a listpack": packedForm(typeZSetListpack, zset.bytes()),
		"list of listpacks":        append(packedForm(typeListOfListpacks, nil)[:1], append([]byte("\x01\x02"), packedForm(0, fields)[1:]...)...),
		"list with a plain node":   append([]byte("\x12\x02\x01\x05plain\x02"), packedForm(0, fields)[1:]...),
		"sorted set":               append([]byte{typeZSet, 2}, "\x01a\x00\x00\x00\x00\x00\x00\xf8\x3f\x01b\x00\x00\x00\x00\x00\x00\xf0\xff"...),
		"integers":                 e.AppendValue([]byte{typeSetIntset}, integers),
		"compressed string":        compressed.AppendString([]byte{typeString}, bytes.Repeat([]byte("again "), 50)),
		"long string":              append(appendLength([]byte{typeString}, 70), bytes.Repeat([]byte("s"), 70)...),
	}
}

// Redis and this package read the same out of every form, and refuse the same,
// however they are damaged.
func TestParityOfDamage(t *testing.T) {
	redis := dialRedis(t)
	forms := newForms(t)
	for name, body := range oldForms() {
		forms[name] = body
	}
	tries := 1500
	if testing.Short() {
		tries = 50
	}
	for name, body := range forms {
		compare(t, redis, name, body)
		if o, err := Undump(body, generous); assert.NoError(t, err, name) && o.Encoding() != keyspace.Hashtable && o.Kind() != keyspace.List {
			var e Encoder
			require.Equal(t, redis("DUMP", "k").String(), string(e.Dump(o)), name)
		}
		for seed := range tries {
			compare(t, redis, fmt.Sprintf("%s, seed %d", name, seed), damage(body, uint64(seed)))
		}
	}
}

func damage(body []byte, seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 0))
	b := bytes.Clone(body)
	for range 1 + rng.IntN(3) {
		switch i := rng.IntN(len(b)); rng.IntN(8) {
		case 0:
			b = append(b[:i], b[min(len(b), i+1+rng.IntN(3)):]...)
		case 1:
			b = append(b[:i], append([]byte{byte(rng.Uint32())}, b[i:]...)...)
		case 2:
			b[i] = byte(rng.Uint32())
		case 3:
			b[i]++
		case 4:
			b[i]--
		case 5:
			b[i] ^= 1 << rng.IntN(8)
		default: // where the structure is
			b[min(i, rng.IntN(16))%len(b)] ^= 1 << rng.IntN(8)
		}
		if len(b) == 0 {
			break
		}
	}
	return b
}

func compare(t *testing.T, redis func(args ...any) resp.Value, name string, body []byte) {
	t.Helper()
	reply := redis("RESTORE", "k", "0", string(Seal(bytes.Clone(body))), "REPLACE")
	o, err := Undump(Seal(bytes.Clone(body)), generous) // Redis reads on into the trailer
	if reply.Error() != nil {
		require.Error(t, err, "%s: Redis refuses %q", name, body)
		return
	}
	if err != nil && laxity(body, err) {
		return
	}
	require.NoError(t, err, "%s: Redis takes %q", name, body)
	if o.Kind() == keyspace.ZSet { // Redis leaves a packed set in the wrong order
		require.NoError(t, redis("ZUNIONSTORE", "k", "1", "k").Error())
	}
	// What is damaged need not be packed as tightly as what is written.
	want, err := Undump(redis("DUMP", "k").Bytes(), generous)
	require.NoError(t, err, "%s: %q", name, body)
	require.Equal(t, content(want), content(o), "%s: %q", name, body)
	require.Equal(t, want.Encoding(), o.Encoding(), "%s: %q", name, body)
}

// laxity reports whether it is known of Redis that it takes what is refused
// here: it takes how a string is encoded for a length where there is no string,
// does not look whether a zipmap ends where its fields do, nor whether all of a
// score's text is a number, and what cannot be decompressed has the length 0.
func laxity(body []byte, err error) bool {
	switch {
	case err == errLength, err == errStream, err == errLZF:
		return true
	case err == errZipmap:
		return body[0] == typeHashZipmap
	case err == errScore:
		return body[0] != typeZSet
	}
	return false
}
