package commands_test

import (
	"io"
	"log/slog"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"myredis/commands"
	"myredis/internal/config"
	"myredis/internal/redistest"
)

var (
	commandRule = oneOf("+@all", "-@all", "allcommands", "nocommands", "+@read", "-@read", "+@write", "-@write", "+@string", "-@string",
		"+@hash", "-@dangerous", "+@keyspace", "-@slow", "+@fast", "-@fast", "+@connection", "-@admin", "+@pubsub", "-@pubsub", "+@scripting",
		"+get", "-get", "+set", "-set", "+config", "-config", "+config|get", "-config|set", "+client|id", "-client", "+acl|whoami",
		"+select|0", "+select|1", "+SELECT|1", "-select", "+ping|x", "+mget|a", "+copy", "+eval", "+publish", "-publish")
	keyRule  = oneOf("allkeys", "~*", "resetkeys", "~a*", "%R~a*", "%W~a*", "%RW~b", "~c", "%r~d", "%R~b", "%W~b*", "%W~*", "%R~*", "~", "%RR~a", "%Q~a", "~a b")
	chanRule = oneOf("allchannels", "&*", "resetchannels", "&a", "&a*", "&b", "&")
	userRule = oneOf("on", "off", "nopass", "resetpass", ">pw", ">other", "<pw", "<none", "reset", "clearselectors", "skip-sanitize-payload",
		"sanitize-payload", "#7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed", "#1", "!7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
		"", "nonsense", "+nosuchcommand", "-@nosuch", "+config|no", "+config|get|x", "(", "(+get", "~b)", ")", "()")
	selectorRule = rapid.Custom(func(t *rapid.T) string {
		text := "("
		for _, rule := range rapid.SliceOfN(rapid.OneOf(commandRule, keyRule, chanRule), 0, 4).Draw(t, "selector") {
			text += rule + " "
		}
		return text + ")"
	})
	anyRule = rapid.OneOf(commandRule, commandRule, keyRule, keyRule, chanRule, userRule, selectorRule)
)

// tried are requests of every shape that permissions distinguish.
var tried = [][]string{
	{"GET", "a"}, {"GET", "b"}, {"GET", "d1"}, {"SET", "a1", "v"}, {"SET", "b", "v"}, {"SET", "a", "v", "GET"}, {"SET", "d", "v"}, {"SET", "", "v"},
	{"MGET", "a", "b", "c"}, {"MGET", "c", "x"}, {"EXISTS", "a", "d"}, {"DEL", "b2"}, {"COPY", "a", "b"}, {"COPY", "b", "a"}, {"RENAME", "a", "c"},
	{"PING"}, {"PING", "x"}, {"SELECT", "0"}, {"SELECT", "1"}, {"SELECT", "2"}, {"CONFIG", "GET", "x"}, {"CONFIG", "SET", "x", "y"}, {"CLIENT", "ID"},
	{"CLIENT", "LIST"}, {"ACL", "WHOAMI"}, {"ACL", "LIST"}, {"OBJECT", "ENCODING", "a"}, {"KEYS", "*"}, {"DBSIZE"}, {"FLUSHALL"}, {"AUTH", "x"}, {"RESET"}, {"MULTI"},
	{"PUBLISH", "a", "m"}, {"PUBLISH", "b", "m"}, {"SPUBLISH", "ab", "m"}, {"SUBSCRIBE", "a", "b"}, {"SUBSCRIBE", "a1"}, {"SSUBSCRIBE", "b"}, {"PSUBSCRIBE", "a"},
	{"PSUBSCRIBE", "a*", "b"}, {"UNSUBSCRIBE", "z"}, {"PUNSUBSCRIBE", "z"}, {"EVAL", "", "2", "a", "b"}, {"EVAL", "", "0", "z"}, {"EVAL", "", "9", "z"}, {"EVAL", "", "x", "z"},
	{"EVAL_RO", "", "1", "d"}, {"ZUNIONSTORE", "c", "2", "a", "b"}, {"ZADD", "b", "1", "x"}, {"HGET", "a", "f"}, {"HSET", "a", "f", "v"}, {"HEXISTS", "b", "f"}, {"WATCH", "a", "z"},
}

// What a list of rules makes of a user is the same here and on a real Redis:
// which rules are wrong, how the user looks, and what it may run. The order
// and choice of rules for its commands is left out: Redis's own is not stable.
func TestUsersParity(t *testing.T) {
	redis := redistest.Start(t)
	engine := commands.New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	rapid.Check(t, func(t *rapid.T) {
		var history [][]string
		for range 6 {
			set := append([]string{"ACL", "SETUSER", "u"}, rapid.SliceOfN(anyRule, 1, 5).Draw(t, "rules")...)
			history = append(history, set, []string{"ACL", "GETUSER", "u"})
		}
		for _, request := range tried {
			history = append(history, append([]string{"ACL", "DRYRUN", "u"}, request...))
		}
		history = append(history, []string{"ACL", "DELUSER", "u"})
		want, _ := replay(t, redis.Addr, 3, history)
		got, _ := replayHere(engine, 3, history)
		for i, command := range history {
			require.Equal(t, withoutCommands(want[i]), withoutCommands(got[i]), "command %d: %q of %q", i, command, history[:12])
		}
	})
}

var commandsField = regexp.MustCompile(`(\$8\r\ncommands\r\n)\$\d+\r\n[^\r]*\r\n`)

func withoutCommands(reply string) string { return commandsField.ReplaceAllString(reply, "$1") }
