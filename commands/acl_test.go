package commands

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/internal/acl"
	"myredis/internal/config"
)

// aclBench returns an engine whose configuration is loaded from lines, in the
// bench that scripts use.
func aclBench(t *testing.T, lines ...string) (*scriptBench, error) {
	cfg := config.Default()
	DeclareUsers(cfg)
	if err := cfg.Load(strings.NewReader(strings.Join(lines, "\n"))); err != nil {
		return nil, err
	}
	e := New(cfg, nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	return &scriptBench{t, e}, e.LoadUsers()
}

func TestDeclaredUsers(t *testing.T) {
	b, err := aclBench(t, "requirepass ignored", "user default on nopass ~* +@all", "USER ann on >pw (+get ~a* )")
	require.NoError(t, err)
	c := b.client()
	require.Equal(t, "-NOPERM this user has no permissions to access one of the channels used as arguments\r\n", b.do(c, "SUBSCRIBE", "x"))
	require.Equal(t, "+OK\r\n", b.do(c, "AUTH", "ann", "pw"))
	require.Equal(t, "$-1\r\n", b.do(c, "GET", "a1"))
	require.Contains(t, b.do(c, "GET", "b"), "NOPERM")
}

func TestWrongDeclarations(t *testing.T) {
	file := filepath.Join(t.TempDir(), "users.acl")
	require.NoError(t, os.WriteFile(file, []byte("user x foo\n"), 0o644))
	for text, want := range map[string]string{
		"user a on\nuser a on":                "Error in user declaration 'a': Duplicate user found. A user can only be defined once in config files",
		"user a on foo":                       "Error in user declaration 'foo': Syntax error",
		"user":                                "Bad directive or wrong number of arguments",
		"user a +nosuchcommand":               "Error loading ACL rule '+nosuchcommand' for the user named 'a': Unknown command or category name in ACL",
		"user 'a b' on":                       "Spaces not allowed in ACL usernames",
		"user a on\naclfile x":                "Configuring Redis with users defined in redis.conf and at the same setting an ACL file path is invalid.",
		"aclfile /nosuchfolder/users.acl":     "Aborting Redis startup because of ACL errors: Error loading ACLs, opening file '/nosuchfolder/users.acl': No such file or directory",
		"aclfile " + filepath.ToSlash(file):   "users.acl:1: Syntax error. WARNING: ACL errors detected",
		"user default off\nuser default off ": "Duplicate user found",
	} {
		_, err := aclBench(t, text)
		require.ErrorContains(t, err, want, text)
	}
}

// ACL LOAD replaces every user but the default one, whose connections live on.
func TestUsersFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "users.acl")
	require.NoError(t, os.WriteFile(path, []byte("user ann on nopass ~* &* +@all\n"), 0o644))
	b, err := aclBench(t, "dir "+filepath.ToSlash(dir), "aclfile users.acl")
	require.NoError(t, err)
	ann, other := b.client(), b.client()
	require.Equal(t, "+OK\r\n", b.do(ann, "AUTH", "ann", ""))
	require.Equal(t, "+OK\r\n", b.do(ann, "ACL", "SETUSER", "bob", "on"))
	require.Equal(t, "+OK\r\n", b.do(ann, "ACL", "SAVE"))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "user ann on nopass ~* &* +@all\nuser bob on resetchannels -@all\nuser default on nopass ~* &* +@all\n", string(text))

	require.NoError(t, os.WriteFile(path, append(text, "user ann on\n"...), 0o644))
	require.Equal(t, "-ERR WARNING: Duplicate user 'ann' found on line 4. WARNING: ACL errors detected, no change to the previously active ACL rules was performed\r\n",
		b.do(ann, "ACL", "LOAD"))
	require.NoError(t, os.WriteFile(path, text, 0o644))
	require.Equal(t, "+OK\r\n", b.do(ann, "ACL", "LOAD"))
	require.True(t, ann.Closing, "its user is another one now, though of the same name")
	require.Same(t, b.e.users.Default, ann.user)
	require.False(t, other.Closing || other.Killed)

	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o755))
	require.Equal(t, "-ERR There was an error trying to save the ACLs. Please check the server logs for more information\r\n", b.do(other, "ACL", "SAVE"))
}

// CONFIG REWRITE writes users, unless they have a file of their own.
func TestRewriteOfUsers(t *testing.T) {
	b, err := aclBench(t, "user ann on >pw")
	require.NoError(t, err)
	b.do(b.client(), "ACL", "SETUSER", "bob", "+get")
	text := string(b.e.Config.Rewrite([]byte("user ann on >pw\n# a\nuser x on\n")))
	require.True(t, strings.HasPrefix(text, "user ann on #30c952fab122c3f9759f02a6d95c3758b246b4fee239957b2d4fee46e26170c4 resetchannels -@all\n"+
		"# a\nuser bob off resetchannels -@all +get\n"), text)
	require.True(t, strings.HasSuffix(text, "\nuser default on nopass ~* &* +@all\n"), text)

	path := filepath.Join(t.TempDir(), "users.acl")
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	b, err = aclBench(t, "aclfile "+filepath.ToSlash(path))
	require.NoError(t, err)
	require.NotContains(t, string(b.e.Config.Rewrite([]byte("user ann on >pw\n"))), "user ")
}

func TestMayReadAnyKey(t *testing.T) {
	b := newScriptBench(t)
	c := b.client()
	args := [][]byte{[]byte("GET"), []byte("k")}
	call := &Call{Args: args, Client: c, Engine: b.e, Cmd: b.e.lookup(args)}
	require.True(t, call.mayReadAnyKey())
	for rules, want := range map[string]bool{"+get ~k": false, "+get ~k %W~*": false, "+get ~k %R~*": true, "-@all ~*": false} {
		user, _, err := b.e.users.Set(rules[:1], append([]string{"reset"}, strings.Fields(rules)...))
		require.NoError(t, err)
		c.user = user
		require.Equal(t, want, call.mayReadAnyKey(), rules)
	}
}

// The way of those who may do everything costs no memory.
func TestUnrestrictedUsersCostNothing(t *testing.T) {
	b := newScriptBench(t)
	c := b.client()
	args := [][]byte{[]byte("EXISTS"), []byte("k")}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		c.Out.Truncate(0)
		b.e.Exec(c, args)
	}))
}

// Secrets do not get into the slow log.
func TestSlowlogKeepsSecrets(t *testing.T) {
	b := newScriptBench(t)
	c := b.client()
	b.do(c, "CONFIG", "SET", "slowlog-log-slower-than", "0")
	b.do(c, "ACL", "SETUSER", "ann", ">sesame")
	b.do(c, "CONFIG", "SET", "maxmemory", "0", "masterauth", "sesame")
	b.do(c, "AUTH", "ann", "sesame")
	b.do(c, "HELLO", "2", "AUTH", "ann", "sesame")
	log := b.do(c, "SLOWLOG", "GET")
	require.NotContains(t, log, "sesame")
	require.Contains(t, log, "$9\r\nmaxmemory\r\n$1\r\n0\r\n$10\r\nmasterauth\r\n$10\r\n(redacted)\r\n")
}

// A subscriber that loses a channel is ended, and only such a one.
func TestKillListeners(t *testing.T) {
	b := newScriptBench(t)
	admin, plain, listener, pardoned := b.client(), b.client(), b.client(), b.client()
	b.do(admin, "ACL", "SETUSER", "ann", "on", "nopass", "+@all", "&a", "&b*")
	for _, c := range []*Client{plain, listener, pardoned} {
		b.do(c, "AUTH", "ann", "")
	}
	b.do(listener, "PSUBSCRIBE", "b*")
	b.do(pardoned, "SUBSCRIBE", "b1")
	// b1 would still match, but the pattern b* itself is no longer there.
	b.do(admin, "ACL", "SETUSER", "ann", "resetchannels", "&b?")
	require.Equal(t, []bool{false, true, false}, []bool{plain.Killed, listener.Killed, pardoned.Killed})
	require.NotSame(t, (*acl.User)(nil), plain.user)
}
