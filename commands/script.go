package commands

import (
	"crypto/sha1"
	"encoding/hex"
	"slices"
	"strings"

	"myredis/script"
)

// scriptCommands are EVAL and what belongs to it. What a script can do while
// it runs is in script_run.go, functions are in function.go.
var scriptCommands = []*Command{
	{
		Name: "eval", Arity: -3, Flags: NoScript | Stale | SkipMonitor | NoMandatoryKeys | MayReplicate, Group: GroupScripting, Run: eval,
		Keys:  scriptKeys(RW|Access|Update, "We cannot tell how the keys will be used so we assume the worst, RW and UPDATE"),
		Since: "2.6.0", Cost: "Depends on the script", Summary: "Runs a Lua script.", Syntax: "script numkeys [key ...] [arg ...]",
	},
	{
		Name: "evalsha", Arity: -3, Flags: NoScript | Stale | SkipMonitor | NoMandatoryKeys | MayReplicate, Group: GroupScripting, Run: evalsha,
		Keys: scriptKeys(RW|Access|Update, ""), Since: "2.6.0", Cost: "Depends on the script",
		Summary: "Runs a Lua script that is known, by its SHA1.", Syntax: "sha1 numkeys [key ...] [arg ...]",
	},
	{
		Name: "eval_ro", Arity: -3, Flags: NoScript | Stale | SkipMonitor | NoMandatoryKeys | ReadOnly, Group: GroupScripting, Run: eval,
		Keys:  scriptKeys(RO|Access, "We cannot tell how the keys will be used so we assume the worst, RO and ACCESS"),
		Since: "7.0.0", Cost: "Depends on the script", Summary: "Runs a Lua script that only reads.", Syntax: "script numkeys [key ...] [arg ...]",
	},
	{
		Name: "evalsha_ro", Arity: -3, Flags: NoScript | Stale | SkipMonitor | NoMandatoryKeys | ReadOnly, Group: GroupScripting, Run: evalsha,
		Keys: scriptKeys(RO|Access, ""), Since: "7.0.0", Cost: "Depends on the script",
		Summary: "Runs a Lua script that is known and only reads, by its SHA1.", Syntax: "sha1 numkeys [key ...] [arg ...]",
	},
	{
		Name: "script", Arity: -2, Group: GroupScripting, Categories: CatNone, Since: "2.6.0", Summary: "Keeps scripts for EVALSHA.",
		Sub: []*Command{
			{Name: "debug", Arity: 3, Flags: NoScript, Group: GroupScripting, Run: scriptDebug, Since: "3.2.0", Cost: "O(1)", Summary: "Sets whether EVAL runs scripts in the debugger.", Syntax: "<YES|SYNC|NO>"},
			{Name: "exists", Arity: -3, Flags: NoScript, Group: GroupScripting, Run: scriptExists, Since: "2.6.0", Cost: "O(N) with N scripts to check", Summary: "Answers which scripts are known.", Syntax: "sha1 [sha1 ...]", Tips: []string{"request_policy:all_shards", "response_policy:agg_logical_and"}},
			{Name: "flush", Arity: -2, Flags: NoScript, Group: GroupScripting, Run: scriptFlush, Since: "2.6.0", Cost: "O(N) with N scripts", Summary: "Forgets all scripts.", Syntax: "[ASYNC|SYNC]", Tips: []string{"request_policy:all_nodes", "response_policy:all_succeeded"}},
			{Name: "kill", Arity: 2, Flags: NoScript | AllowBusy, Group: GroupScripting, Run: scriptKill, Since: "2.6.0", Cost: "O(1)", Summary: "Ends the script that runs, if it has written nothing.", Tips: []string{"request_policy:all_shards", "response_policy:one_succeeded"}},
			{Name: "load", Arity: 3, Flags: NoScript | Stale, Group: GroupScripting, Run: scriptLoad, Since: "2.6.0", Cost: "O(N) with N the length of the script", Summary: "Makes a script known without running it.", Syntax: "script", Tips: []string{"request_policy:all_nodes", "response_policy:all_succeeded"}},
		},
	},
}

// scriptKeys is the key specification of whatever runs a script.
func scriptKeys(f KeyFlag, notes string) []KeySpec {
	spec := countedKeys(2, f)
	spec.Notes = notes
	return []KeySpec{spec}
}

const (
	errNoScriptFound Error = "NOSCRIPT No matching script. Please use EVAL."
	errTooManyKeys   Error = "ERR Number of keys can't be greater than number of args"
	errNegativeKeys  Error = "ERR Number of keys can't be negative"
	errROScript      Error = "ERR Can not execute a script with write flag using *_ro command."
	errOOMScript     Error = "OOM allow-oom flag is not set on the script, can not run it when used memory > 'maxmemory'"
	errOOM           Error = "OOM command not allowed when used memory > 'maxmemory'."
)

// scriptSum is the SHA1 of a script, by which it is known.
type scriptSum [sha1.Size]byte

// storedScript is a script of the cache.
type storedScript struct {
	name    string // the SHA1 in hexadecimal
	body    int    // its length in bytes
	program *script.Program
}

// scripting is what is kept for scripts and functions.
type scripting struct {
	cache map[scriptSum]*storedScript
	bytes int64 // of the scripts in it
	lua   *script.Interpreter
	lib   libraries

	running []*scriptRun // more than one only with several workers
	idle    []*scriptRun

	// anyCommand lets scripts call what NoScript forbids them (DEBUG
	// SET-DISABLE-DENY-SCRIPTS).
	anyCommand bool
}

// interpreter is made when it is first needed: it takes memory.
func (s *scripting) interpreter() *script.Interpreter {
	if s.lua == nil {
		s.lua = script.NewScripts(RedisVersion)
	}
	return s.lua
}

// compile returns the script of a text, from the cache if it is there.
func (s *scripting) compile(body []byte) (*storedScript, error) {
	sum := scriptSum(sha1.Sum(body))
	if stored := s.cache[sum]; stored != nil {
		return stored, nil
	}
	program, err := script.Compile(string(body))
	if err != nil {
		return nil, Error("ERR " + err.Error())
	}
	if s.cache == nil {
		s.cache = map[scriptSum]*storedScript{}
	}
	stored := &storedScript{name: hex.EncodeToString(sum[:]), body: len(body), program: program}
	s.cache[sum] = stored
	s.bytes += int64(len(body))
	return stored, nil
}

// known returns a script of the cache by its SHA1 in hexadecimal of either
// case, or nil.
func (s *scripting) known(digits []byte) *storedScript {
	var sum scriptSum
	if len(digits) != hex.EncodedLen(len(sum)) {
		return nil
	}
	if _, err := hex.Decode(sum[:], digits); err != nil {
		return nil
	}
	return s.cache[sum]
}

// splitKeys reads the number of keys, which is argument 2, and returns the keys
// and the other arguments.
func (c *Call) splitKeys(notInteger error) (keys, args [][]byte, err error) {
	n, ok := parseInt(c.Args[2])
	switch {
	case !ok:
		return nil, nil, notInteger
	case n > int64(len(c.Args)-3):
		return nil, nil, errTooManyKeys
	case n < 0:
		return nil, nil, errNegativeKeys
	}
	return c.Args[3 : 3+n], c.Args[3+n:], nil
}

func eval(c *Call) error {
	c.showScript()
	if c.Client.debugEval {
		return c.debugScript()
	}
	keys, args, err := c.splitKeys(errNotInteger)
	if err != nil {
		return err
	}
	stored, err := c.Engine.scripts.compile(c.Args[1])
	if err != nil {
		return err
	}
	return c.runScript(stored, keys, args)
}

func evalsha(c *Call) error {
	c.showScript()
	if len(c.Args[1]) != hex.EncodedLen(sha1.Size) {
		return errNoScriptFound
	}
	if c.Client.debugEval {
		return errDebugSHA
	}
	keys, args, err := c.splitKeys(errNotInteger)
	if err != nil {
		return err
	}
	stored := c.Engine.scripts.known(c.Args[1])
	if stored == nil {
		return errNoScriptFound
	}
	return c.runScript(stored, keys, args)
}

func (c *Call) runScript(stored *storedScript, keys, args [][]byte) error {
	run, err := c.beginScript(stored.name, stored.program.Flags)
	if err != nil {
		return err
	}
	defer c.Engine.endScript(run)
	run.inv = script.Invocation{Name: stored.name, Keys: keys, Args: args, Host: run}
	c.Engine.scripts.interpreter().Eval(stored.program, &run.inv, c.Encoder)
	return nil
}

func scriptLoad(c *Call) error {
	stored, err := c.Engine.scripts.compile(c.Args[2])
	if err != nil {
		return err
	}
	c.BulkString(stored.name)
	return nil
}

func scriptExists(c *Call) error {
	c.Array(len(c.Args) - 2)
	for _, digits := range c.Args[2:] {
		c.Int(int64(btoi(c.Engine.scripts.known(digits) != nil)))
	}
	return nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func scriptFlush(c *Call) error {
	if len(c.Args) > 3 || len(c.Args) == 3 && !c.is(2, "SYNC") && !c.is(2, "ASYNC") {
		return Error("ERR SCRIPT FLUSH only support SYNC|ASYNC option")
	}
	// The garbage collector frees in its own time either way.
	s := &c.Engine.scripts
	s.cache, s.bytes = nil, 0
	if s.lua != nil {
		s.lua.Reset()
	}
	return c.ok()
}

func scriptKill(c *Call) error { return c.killScript(false) }

// scriptFlags returns the flags by which a command is to be judged: those of
// one that runs a script follow from what the script says of itself (script.c,
// scriptFlagsToCmdFlags).
func (e *Engine) scriptFlags(cmd *Command, args [][]byte) Flag {
	flags, ok := e.declaredFlags(cmd, args)
	if !ok || flags&script.Undeclared != 0 {
		return cmd.Flags
	}
	f := cmd.Flags &^ (Stale | DenyOOM | Write | MayReplicate)
	if flags&(script.AllowOOM|script.NoWrites) == 0 {
		f |= DenyOOM
	}
	if flags&script.NoWrites == 0 {
		f |= Write
	}
	if flags&script.AllowStale != 0 {
		f |= Stale
	}
	return f
}

func (e *Engine) declaredFlags(cmd *Command, args [][]byte) (script.Flags, bool) {
	if cmd.Group != GroupScripting || len(args) < 2 {
		return 0, false
	}
	switch {
	case slices.Contains([]string{"eval", "eval_ro"}, cmd.full):
		if stored := e.scripts.cache[scriptSum(sha1.Sum(args[1]))]; stored != nil {
			return stored.program.Flags, true
		}
		flags, err := script.DeclaredFlags(view(args[1]))
		return flags, err == nil
	case strings.HasPrefix(cmd.full, "evalsha"):
		if stored := e.scripts.known(args[1]); stored != nil {
			return stored.program.Flags, true
		}
	case strings.HasPrefix(cmd.full, "fcall"):
		if f := e.scripts.lib.function(args[1]); f != nil {
			return f.Flags, true
		}
	}
	return 0, false
}
