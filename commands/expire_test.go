package commands

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Which condition lets a deadline take the place of another one; 0 is none.
func TestExpireConditions(t *testing.T) {
	for _, test := range []struct {
		old, at int64
		allowed string // of none, NX, XX, GT, LT, XX GT, XX LT
	}{
		{0, 5, "none NX LT"},
		{5, 6, "none XX GT XXGT"},
		{5, 5, "none XX"},
		{5, 4, "none XX LT XXLT"},
		{5, -1, "none XX LT XXLT"},
	} {
		allowed := ""
		for _, condition := range []struct {
			name string
			expireCondition
		}{
			{"none", expireCondition{}}, {"NX", expireCondition{nx: true}}, {"XX", expireCondition{xx: true}}, {"GT", expireCondition{gt: true}},
			{"LT", expireCondition{lt: true}}, {"XXGT", expireCondition{xx: true, gt: true}}, {"XXLT", expireCondition{xx: true, lt: true}},
		} {
			if condition.allows(test.old, test.at) {
				allowed += " " + condition.name
			}
		}
		require.Equal(t, " "+test.allowed, allowed, "from %d to %d", test.old, test.at)
	}
}

// Milliseconds are rounded to seconds, half of one up.
func TestDeadlinesInSeconds(t *testing.T) {
	c := zsetClient()
	for ms, seconds := range map[int64]int64{33177117420000: 33177117420, 33177117420499: 33177117420, 33177117420500: 33177117421, 33177117420999: 33177117421, math.MaxInt64: 9223372036854776} {
		c.ask(fmt.Sprint("SET k v PXAT ", ms))
		require.Equal(t, fmt.Sprint(":", seconds), c.ask("EXPIRETIME k"))
		require.Equal(t, fmt.Sprint(":", ms), c.ask("PEXPIRETIME k"))
	}
}

// The largest times that fit, and those that do not: seconds that overflow when
// they become milliseconds, and times that do when they are counted from now.
func TestExpireTimesThatFit(t *testing.T) {
	const (
		largest     = "9223372036854775807" // of 64 bits
		seconds     = "9223372036854775"    // whose milliseconds fit
		moreSeconds = "9223372036854776"
	)
	refused := func(name string) string { return "-ERR invalid expire time in '" + name + "' command" }
	for _, test := range []struct{ line, reply string }{
		{"EXPIREAT k " + seconds, ":1"}, {"EXPIREAT k " + moreSeconds, refused("expireat")}, {"EXPIREAT k -" + moreSeconds, refused("expireat")},
		{"EXPIREAT k -" + seconds, ":1"}, {"PEXPIREAT k " + largest, ":1"}, {"PEXPIREAT k -" + largest, ":1"},
		{"EXPIRE k " + seconds, refused("expire")}, {"EXPIRE k -" + moreSeconds, refused("expire")}, {"PEXPIRE k " + largest, refused("pexpire")},
		{"PEXPIRE k " + seconds, ":1"}, {"PEXPIRE k -" + largest, ":1"},
		{"SET k v EXAT " + seconds, "+OK"}, {"SET k v EXAT " + moreSeconds, refused("set")}, {"SET k v PXAT " + largest, "+OK"},
		{"SET k v EX " + seconds, refused("set")}, {"SET k v PX " + largest, refused("set")}, {"SET k v PX 0", refused("set")}, {"SET k v PX -1", refused("set")},
		{"SETEX k " + seconds + " v", refused("setex")}, {"PSETEX k " + largest + " v", refused("psetex")},
		{"GETEX k EXAT " + seconds, "$3 old"}, {"GETEX k EXAT " + moreSeconds, refused("getex")}, {"GETEX k PX " + largest, refused("getex")},
	} {
		c := zsetClient()
		c.ask("SET k old")
		require.Equal(t, test.reply, c.ask(test.line), test.line)
	}
}
