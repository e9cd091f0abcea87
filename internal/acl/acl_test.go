package acl

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"myredis/internal/glob"
)

// small is a catalogue with every relation there is: categories that overlap,
// a container with subcommands of other categories than its own.
func small() *Catalogue {
	const read, write, slow = 1, 2, 4
	return NewCatalogue([]string{"read", "write", "slow"}, []*Command{
		{Name: "auth", Categories: slow, Free: true},
		{Name: "config", Categories: slow, Sub: []*Command{{Name: "config|get", Categories: read | slow}, {Name: "config|set", Categories: write | slow}}},
		{Name: "get", Categories: read},
		{Name: "mget", Categories: read | slow},
		{Name: "select", Categories: 0},
		{Name: "set", Categories: write},
	})
}

// naive decides by going through all rules each time.
type naive struct{ rules []string }

// permits finds the last rule that says something about a command. The rules
// are valid ones.
func (n naive) permits(c *Catalogue, cmd *Command, arg string) bool {
	in, args := false, []string(nil)
	container, _, _ := strings.Cut(cmd.Name, "|")
	for _, rule := range n.rules {
		word := strings.ToLower(rule)
		what := word[min(1, len(word)):]
		switch {
		case word == "allcommands", word == "+@all":
			in, args = true, nil
		case word == "nocommands", word == "-@all", word == "reset":
			in, args = false, nil
		case word == "" || word[0] != '+' && word[0] != '-':
		case what[0] == '@':
			bit := c.category(what[1:])
			if cmd.Categories&bit != 0 || c.Command(container).Categories&bit != 0 {
				in, args = word[0] == '+', nil
			}
		case what == cmd.Name, what == container:
			in, args = word[0] == '+', nil
		case word[0] == '+' && strings.HasPrefix(what, cmd.Name+"|"):
			args = append(args, what[len(cmd.Name)+1:])
		}
	}
	return in || cmd.Free || slices.Contains(args, strings.ToLower(arg))
}

// touches finds whether one of the patterns since the last reset matches.
func (n naive) touches(key string, access Access) bool {
	patterns, all := map[string]Access{}, false
	for _, rule := range n.rules {
		switch word := strings.ToLower(rule); {
		case word == "allkeys", word == "~*":
			all = true
		case word == "resetkeys", word == "reset":
			clear(patterns)
			all = false
		case word != "" && word[0] == '~':
			patterns[rule[1:]] |= readWrite
		case strings.HasPrefix(word, "%rw~"):
			patterns[rule[4:]] |= readWrite
		case strings.HasPrefix(word, "%r~"):
			patterns[rule[3:]] |= Read
		case strings.HasPrefix(word, "%w~"):
			patterns[rule[3:]] |= Write
		}
	}
	for pattern, granted := range patterns {
		if granted&access == access && glob.Match(pattern, key, false) {
			return true
		}
	}
	return all
}

var anyRule = rapid.SampledFrom([]string{
	"+@all", "-@all", "allcommands", "nocommands", "+@read", "-@READ", "+@write", "-@write", "+@slow", "-@slow",
	"+get", "-GET", "+set", "-set", "+mget", "-mget", "+config", "-config", "+config|get", "-config|get", "+config|set", "-config|set",
	"+select", "-select", "+select|0", "+select|A", "+get|k",
	"allkeys", "~*", "resetkeys", "~a*", "%R~a*", "%W~a*", "%RW~b", "~c", "%r~c",
	"allchannels", "resetchannels", "&*", "&a*", "&b", "on", "off", "nopass", "resetpass", ">pw", "<pw", "reset",
})

// A user permits what the rules say, and prints as rules that make the same
// user.
func TestAgainstNaive(t *testing.T) {
	c := small()
	users := NewUsers(c)
	rapid.Check(t, func(t *rapid.T) {
		defer users.Delete("u")
		var said naive
		for _, rule := range rapid.SliceOf(anyRule).Draw(t, "rules") {
			if _, _, err := users.Set("u", []string{rule}); err == nil {
				said.rules = append(said.rules, rule)
			}
		}
		u, _, err := users.Set("u", nil)
		require.NoError(t, err)
		again, _, err := users.Set("again", strings.Split("reset "+users.Rules(u), " "))
		require.NoError(t, err)
		defer users.Delete("again")
		// A user that was made anew says what becomes of payloads; the first
		// says so only after a reset.
		again.sanitize = u.sanitize
		require.Equal(t, users.Rules(u), users.Rules(again))
		for _, who := range []*User{u, again} {
			for cmd := range c.all() {
				for _, arg := range []string{"0", "1", "a", "K"} {
					why, _ := who.Check(&Request{Command: cmd, Args: [][]byte{[]byte(cmd.Name), []byte(arg)}})
					require.Equal(t, said.permits(c, cmd, arg), why == Allowed, "%s %s: %q", cmd.Name, arg, said.rules)
				}
			}
			for _, key := range []string{"a", "ab", "b", "c", "d", ""} {
				for _, access := range []Access{0, Read, Write, readWrite} {
					require.Equal(t, said.touches(key, access), who.root().touches([]byte(key), access), "%q %d: %q", key, access, said.rules)
				}
			}
		}
	})
}

// What is derived from the rules says nothing else than they do.
func TestUnrestricted(t *testing.T) {
	users := NewUsers(small())
	require.True(t, users.Default.Unrestricted())
	for rules, want := range map[string]bool{
		"":                             false,
		"+@all ~* &*":                  true,
		"+@all ~* &* -get":             false,
		"+@all ~* &* -get +get":        false, // though it may do everything
		"(+@all ~* &*)":                true,
		"(+@all ~*) (&*)":              false,
		"+@all ~* &* resetchannels &*": true,
	} {
		u, _, err := users.Set("u", strings.Fields(rules))
		require.NoError(t, err)
		require.Equal(t, want, u.Unrestricted(), rules)
		users.Delete("u")
	}
}

// Of several objections the one is reported that came furthest.
func TestCheckReportsTheFurthestObjection(t *testing.T) {
	c := small()
	users := NewUsers(c)
	u, _, err := users.Set("u", []string{"(+mget ~key)", "(+mget ~key ~other)", "(+set)"})
	require.NoError(t, err)
	mget := func(keys ...string) *Request {
		r := &Request{Command: c.Command("mget"), Args: [][]byte{[]byte("mget")}}
		for i, key := range keys {
			r.Args = append(r.Args, []byte(key))
			r.Keys = append(r.Keys, Key{i + 1, Read})
		}
		return r
	}
	for _, test := range []struct {
		request *Request
		why     Reason
		arg     int
	}{
		{mget("key"), Allowed, 0},
		{mget("key", "other"), Allowed, 0},
		{mget("other", "third"), DeniedKey, 2},
		{mget("third", "other"), DeniedKey, 1},
		{&Request{Command: c.Command("get"), Args: [][]byte{[]byte("get")}}, DeniedCommand, 0},
		{&Request{Command: c.Command("auth"), Args: [][]byte{[]byte("auth")}}, Allowed, 0},
	} {
		why, arg := u.Check(test.request)
		require.Equal(t, []any{test.why, test.arg}, []any{why, arg}, "%q", test.request.Args)
	}
}

// SORT asks for a selector that runs it and reads everything.
func TestCheckAllKeys(t *testing.T) {
	c := small()
	users := NewUsers(c)
	r := &Request{Command: c.Command("get"), Args: [][]byte{[]byte("get"), []byte("k")}, Keys: []Key{{1, Read}}}
	for rules, want := range map[string]bool{
		"+get ~k": false, "+get ~k %W~*": false, "+get ~k %R~*": true, "+get allkeys": true, "+get %R~**": false,
		"(+get ~k) (+set ~*)": false, "-@all ~*": false,
	} {
		u, _, err := users.Set("u", mustSplit(rules))
		require.NoError(t, err)
		require.Equal(t, want, u.CheckAllKeys(r, Read), rules)
		users.Delete("u")
	}
}

func mustSplit(rules string) []string { return strings.Split(rules, " ") }

func TestRevoked(t *testing.T) {
	for _, test := range []struct {
		before, after string
		want          bool
	}{
		{"&a", "&b", false},
		{"&a", "resetchannels &b", true},
		{"&a", "resetchannels &b &a", false},
		{"&a", "resetchannels (&a)", false},
		{"&a", "resetchannels (&*)", false},
		{"&*", "resetchannels &a", true},
		{"(&a)", "clearselectors", true},
	} {
		users := NewUsers(small())
		_, revoked, err := users.Set("u", mustSplit(test.before))
		require.NoError(t, err)
		require.False(t, revoked)
		_, revoked, err = users.Set("u", mustSplit(test.after))
		require.NoError(t, err)
		require.Equal(t, test.want, revoked, test)
	}
}

func TestLogin(t *testing.T) {
	users := NewUsers(small())
	_, _, err := users.Set("u", []string{"on", ">one", ">two\x00x"})
	require.NoError(t, err)
	login := func(name, password string) bool { return users.Login([]byte(name), []byte(password)) != nil }
	require.True(t, login("u", "one"))
	require.True(t, login("u", "two\x00x"))
	require.False(t, login("u", "two"))
	require.False(t, login("nobody", "one"))
	require.True(t, login("default", "anything"))
	users.SetDefaultPassword("x")
	require.False(t, login("default", "anything"))
	require.True(t, login("default", "x"))
	users.SetDefaultPassword("")
	require.True(t, users.Default.Open())
	_, _, err = users.Set("u", []string{"off"})
	require.NoError(t, err)
	require.False(t, login("u", "one"))
}

func TestLogGroupsAndForgets(t *testing.T) {
	var log Log
	add := func(object string, at int64) { log.Add(Refusal{Reason: DeniedKey, Object: object, At: at}, 12) }
	shown := func() (list []string) {
		for _, e := range log.Entries() {
			list = append(list, fmt.Sprintf("%s*%d", e.Object, e.Count))
		}
		return list
	}
	add("a", 0)
	add("b", 1)
	add("a", 60_000)
	require.Equal(t, []string{"a*2", "b*1"}, shown())
	add("a", 120_001)
	require.Equal(t, []string{"a*1", "a*2", "b*1"}, shown(), "too late to be the same")
	log.Reset()
	for i := range 20 {
		add(fmt.Sprint(i), 0)
	}
	require.Len(t, log.Entries(), 12)
	add("10", 0)
	require.Equal(t, "10*2", shown()[0])
	add("9", 0)
	require.Equal(t, "9*1", shown()[0], "ten entries back is too far to look")
	log.Add(Refusal{}, 0)
	require.Empty(t, log.Entries())
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "users.acl")
	users := NewUsers(small())
	_, _, err := users.Set("ann", []string{"on", ">pw", "+@read", "~a*", "(+set %W~b &c)"})
	require.NoError(t, err)
	require.NoError(t, users.Save(path))
	saved := users.Lines()
	ann := users.Named("ann")
	byDefault := users.Default
	_, _, err = users.Set("bob", nil)
	require.NoError(t, err)
	gone, err := users.Load(path, "users.acl")
	require.NoError(t, err)
	require.Equal(t, []*User{ann, {Name: "bob", rules: gone[1].rules}}, gone)
	require.Equal(t, saved, users.Lines())
	require.NotSame(t, ann, users.Named("ann"))
	require.Same(t, byDefault, users.Default)
	require.Same(t, byDefault, users.Named("default"))
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1, "nothing else is left")

	// A file without the default user opens it.
	_, _, err = users.Set("default", []string{"-@all"})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("\n  user x  on \t\r\n\n"), 0o644))
	_, err = users.Load(path, "users.acl")
	require.NoError(t, err)
	require.Equal(t, []string{"user default on nopass ~* &* +@all", "user x on resetchannels -@all"}, users.Lines())

	require.ErrorContains(t, users.Save(filepath.Join(dir, "no", "x")), "Opening temp ACL file for ACL SAVE: No such file or directory")
	require.ErrorContains(t, users.Save(dir), "Renaming ACL file for ACL SAVE")
}

// The texts are those of redis-server 7.0.15.
func TestFileWithFaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	const unchanged = "WARNING: ACL errors detected, no change to the previously active ACL rules was performed"
	for text, want := range map[string]string{
		"users x on":                      "f:1 should start with user keyword followed by the username. ",
		"\nuser":                          "f:2 should start with user keyword followed by the username. ",
		"User x":                          "f:1 should start with user keyword followed by the username. ",
		"user a\tb on":                    "'f:1: username 'a\tb' contains invalid characters. ",
		"user a on\nuser a off":           "WARNING: Duplicate user 'a' found on line 2. ",
		"user default\nuser default":      "WARNING: Duplicate user 'default' found on line 2. ",
		"user a on +foo -bar +get":        "f:1: Error in applying operation '+foo': Unknown command or category name in ACL. f:1: Error in applying operation '-bar': Unknown command or category name in ACL. ",
		"user a foo bar\nuser b #1":       "f:1: Syntax error. f:2: The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters. ",
		"user a on (+get\nuser b nothing": "f:1: Unmatched parenthesis in selector definition.f:2: Syntax error. ",
	} {
		users := NewUsers(small())
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		before := users.Lines()
		_, err := users.Load(path, "f")
		require.EqualError(t, err, want+unchanged, text)
		require.Equal(t, before, users.Lines())
	}
	_, err := NewUsers(small()).Load(path+"x", "fx")
	require.EqualError(t, err, "Error loading ACLs, opening file 'fx': No such file or directory")
}

func TestDeclarations(t *testing.T) {
	users := NewUsers(small())
	_, err := users.CheckDeclaration("a", []string{"on", "+whatever", "(+get", "~k)"}, nil)
	require.NoError(t, err, "a command that is not known may be so later")
	for _, test := range []struct{ rules, word, err string }{
		{"on foo", "foo", "Syntax error"},
		{"(+get ~x", "(+get", "Wrong format"},
		{"~* ~x", "~x", string(errKeysOpen)},
	} {
		word, err := users.CheckDeclaration("a", mustSplit(test.rules), nil)
		require.Equal(t, test.word, word)
		require.EqualError(t, err, test.err)
	}
	word, err := users.CheckDeclaration("a", nil, [][]string{{"a", "on"}})
	require.Equal(t, "a", word)
	require.EqualError(t, err, string(errDuplicate))

	_, err = users.Declare("a", mustSplit("on +get (+set ~k )"))
	require.NoError(t, err)
	_, err = users.Declare("default", mustSplit("on nopass +@all"))
	require.NoError(t, err)
	require.Equal(t, []string{
		"user a on resetchannels -@all +get (~k resetchannels -@all +set)",
		"user default on nopass sanitize-payload resetchannels +@all",
	}, users.Lines())
	_, err = users.Declare("b", []string{"+whatever"})
	require.EqualError(t, err, "Error loading ACL rule '+whatever' for the user named 'b': Unknown command or category name in ACL")
	_, err = users.Declare("b c", nil)
	require.EqualError(t, err, "Spaces not allowed in ACL usernames")
}

// Names are bytes, not text: folding must not join what differs.
func TestFoldingIsOfASCII(t *testing.T) {
	users := NewUsers(small())
	_, _, err := users.Set("u", []string{"+select|\xff", "+select|\xfe", "+select|k", "+select|K", "+select|\u212a"})
	require.NoError(t, err)
	require.Equal(t, "-@all +select|\xff +select|\xfe +select|k +select|\u212a", users.Describe(users.Named("u"))[0].Commands)
}

func BenchmarkCheck(b *testing.B) {
	c := small()
	users := NewUsers(c)
	u, _, err := users.Set("u", mustSplit("+@read ~user:* ~session:* (+set %W~log:*)"))
	require.NoError(b, err)
	r := &Request{Command: c.Command("mget"), Args: [][]byte{[]byte("mget"), []byte("user:1"), []byte("session:2")}, Keys: []Key{{1, Read}, {2, Read}}}
	for b.Loop() {
		if why, _ := u.Check(r); why != Allowed {
			b.Fatal(why)
		}
	}
}
