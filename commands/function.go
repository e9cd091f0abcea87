package commands

import (
	"slices"
	"strings"
	"time"

	"myredis/internal/glob"
	"myredis/script"
)

// functionCommands are FUNCTION and FCALL.
var functionCommands = []*Command{
	{
		Name: "fcall", Arity: -3, Flags: NoScript | Stale | SkipMonitor | NoMandatoryKeys | MayReplicate, Group: GroupScripting, Run: fcall,
		Keys:  scriptKeys(RW|Access|Update, "We cannot tell how the keys will be used so we assume the worst, RW and UPDATE"),
		Since: "7.0.0", Cost: "Depends on the function", Summary: "Calls a function.", Syntax: "function numkeys [key ...] [arg ...]",
	},
	{
		Name: "fcall_ro", Arity: -3, Flags: NoScript | Stale | SkipMonitor | NoMandatoryKeys | ReadOnly, Group: GroupScripting, Run: fcall,
		Keys:  scriptKeys(RO|Access, "We cannot tell how the keys will be used so we assume the worst, RO and ACCESS"),
		Since: "7.0.0", Cost: "Depends on the function", Summary: "Calls a function that only reads.", Syntax: "function numkeys [key ...] [arg ...]",
	},
	{
		Name: "function", Arity: -2, Group: GroupScripting, Categories: CatNone, Since: "7.0.0", Summary: "Keeps libraries of functions for FCALL.",
		Sub: []*Command{
			{Name: "delete", Arity: 3, Flags: NoScript | Write, Group: GroupScripting, Run: functionDelete, Since: "7.0.0", Cost: "O(1)", Summary: "Deletes a library.", Syntax: "library-name", Tips: []string{"request_policy:all_shards", "response_policy:all_succeeded"}},
			{Name: "dump", Arity: 2, Flags: NoScript, Group: GroupScripting, Run: functionDump, Since: "7.0.0", Cost: "O(N) with N functions", Summary: "Answers all libraries in a form that FUNCTION RESTORE takes."},
			{Name: "flush", Arity: -2, Flags: NoScript | Write, Group: GroupScripting, Run: functionFlush, Since: "7.0.0", Cost: "O(N) with N functions", Summary: "Deletes all libraries.", Syntax: "[ASYNC|SYNC]", Tips: []string{"request_policy:all_shards", "response_policy:all_succeeded"}},
			{Name: "kill", Arity: 2, Flags: NoScript | AllowBusy, Group: GroupScripting, Run: functionKill, Since: "7.0.0", Cost: "O(1)", Summary: "Ends the function that runs, if it has written nothing.", Tips: []string{"request_policy:all_shards", "response_policy:one_succeeded"}},
			{Name: "list", Arity: -2, Flags: NoScript, Group: GroupScripting, Run: functionList, Since: "7.0.0", Cost: "O(N) with N functions", Summary: "Describes the libraries.", Syntax: "[LIBRARYNAME library-name-pattern] [WITHCODE]", Tips: []string{"nondeterministic_output_order"}},
			{Name: "load", Arity: -3, Flags: NoScript | Write | DenyOOM, Group: GroupScripting, Run: functionLoad, Since: "7.0.0", Cost: "O(1), compiling aside", Summary: "Adds a library.", Syntax: "[REPLACE] function-code", Tips: []string{"request_policy:all_shards", "response_policy:all_succeeded"}},
			{Name: "restore", Arity: -3, Flags: NoScript | Write | DenyOOM, Group: GroupScripting, Run: functionRestore, Since: "7.0.0", Cost: "O(N) with N functions", Summary: "Adds the libraries of a dump.", Syntax: "serialized-value [FLUSH|APPEND|REPLACE]", Tips: []string{"request_policy:all_shards", "response_policy:all_succeeded"}},
			{Name: "stats", Arity: 2, Flags: NoScript | AllowBusy, Group: GroupScripting, Run: functionStats, Since: "7.0.0", Cost: "O(1)", Summary: "Describes the function that runs.", Tips: []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"}},
		},
	},
}

// libraries are those that FUNCTION LOAD has added, and their functions by
// name: in lower case, since FCALL regards no case.
type libraries struct {
	byName    map[string]*script.Library
	functions map[string]*script.Function
	lua       *script.Interpreter
}

func (l *libraries) interpreter() *script.Interpreter {
	if l.lua == nil {
		l.lua = script.NewFunctions(RedisVersion)
	}
	return l.lua
}

func (l *libraries) function(name []byte) *script.Function {
	return l.functions[strings.ToLower(view(name))]
}

// names returns the names of the libraries in their order.
func (l *libraries) names() []string {
	names := make([]string, 0, len(l.byName))
	for name := range l.byName {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// clone is a set of the same libraries, to be changed and then to take the
// place of this one, or not.
func (l *libraries) clone() *libraries {
	c := &libraries{byName: map[string]*script.Library{}, functions: map[string]*script.Function{}, lua: l.lua}
	for _, lib := range l.byName {
		c.link(lib)
	}
	return c
}

func (l *libraries) link(lib *script.Library) {
	l.byName[lib.Name] = lib
	for _, f := range lib.Functions {
		l.functions[strings.ToLower(f.Name)] = f
	}
}

func (l *libraries) unlink(lib *script.Library) {
	delete(l.byName, lib.Name)
	for _, f := range lib.Functions {
		delete(l.functions, strings.ToLower(f.Name))
	}
}

// add links a library unless one of its functions is there already.
func (l *libraries) add(lib *script.Library) error {
	for _, f := range lib.Functions {
		if l.functions[strings.ToLower(f.Name)] != nil {
			return errorf("ERR Function %s already exists", f.Name)
		}
	}
	l.link(lib)
	return nil
}

// replaceWith takes over another set. What is gone is forgotten.
func (l *libraries) replaceWith(other *libraries) {
	for name, lib := range l.byName {
		if other.byName[name] != lib {
			l.interpreter().Forget(lib)
		}
	}
	l.byName, l.functions = other.byName, other.functions
}

// loader is what a library asks while it is loaded: to log.
type loader struct{ engine *Engine }

func (l loader) Log(level int, text string) { l.engine.scriptLog(level, text) }

// load compiles a library and adds it to a set.
func (e *Engine) loadLibrary(to *libraries, code string, replace bool) (*script.Library, error) {
	name, err := script.LibraryName(code)
	if err != nil {
		return nil, Error("ERR " + err.Error())
	}
	old := to.byName[name]
	if old != nil && !replace {
		return nil, errorf("ERR Library '%s' already exists", name)
	}
	lib, err := e.scripts.lib.interpreter().Load(code, loader{e})
	if err != nil {
		return nil, Error("ERR " + err.Error())
	}
	if old != nil {
		to.unlink(old)
	}
	if err := to.add(lib); err != nil {
		e.scripts.lib.interpreter().Forget(lib)
		return nil, err
	}
	return lib, nil
}

func fcall(c *Call) error {
	c.showScript()
	f := c.Engine.scripts.lib.function(c.Args[1])
	if f == nil {
		return Error("ERR Function not found")
	}
	keys, args, err := c.splitKeys(Error("ERR Bad number of keys provided"))
	if err != nil {
		return err
	}
	run, err := c.beginScript(f.Name, f.Flags)
	if err != nil {
		return err
	}
	defer c.Engine.endScript(run)
	run.function = true
	run.inv = script.Invocation{Name: f.Name, Keys: keys, Args: args, Host: run}
	c.Engine.scripts.lib.interpreter().CallFunction(f, &run.inv, c.Encoder)
	return nil
}

func functionLoad(c *Call) error {
	replace := false
	for i := 2; i < len(c.Args)-1; i++ {
		if !c.is(i, "REPLACE") {
			return errorf("ERR Unknown option given: %s", c.Args[i])
		}
		replace = true
	}
	e := c.Engine
	set := e.scripts.lib.clone()
	lib, err := e.loadLibrary(set, string(c.Args[len(c.Args)-1]), replace)
	if err != nil {
		return err
	}
	e.scripts.lib.replaceWith(set)
	e.dirty++
	c.BulkString(lib.Name)
	return nil
}

func functionDelete(c *Call) error {
	l := &c.Engine.scripts.lib
	lib := l.byName[string(c.Args[2])]
	if lib == nil {
		return Error("ERR Library not found")
	}
	l.unlink(lib)
	l.interpreter().Forget(lib)
	c.Engine.dirty++
	return c.ok()
}

func functionFlush(c *Call) error {
	switch {
	case len(c.Args) > 3:
		return c.wrongSubcommand()
	case len(c.Args) == 3 && !c.is(2, "SYNC") && !c.is(2, "ASYNC"):
		return Error("ERR FUNCTION FLUSH only supports SYNC|ASYNC option")
	}
	c.Engine.scripts.lib.replaceWith(&libraries{})
	c.Engine.dirty++
	return c.ok()
}

func functionKill(c *Call) error { return c.killScript(true) }

func functionList(c *Call) error {
	var pattern []byte
	withCode := false
	for i := 2; i < len(c.Args); i++ {
		switch {
		case !withCode && c.is(i, "WITHCODE"):
			withCode = true
		case pattern == nil && c.is(i, "LIBRARYNAME"):
			if i == len(c.Args)-1 {
				return Error("ERR library name argument was not given")
			}
			i++
			pattern = c.Args[i]
		default:
			return errorf("ERR Unknown argument %s", c.Args[i])
		}
	}
	l := &c.Engine.scripts.lib
	mark, n := c.Defer(), 0
	for _, name := range l.names() {
		if pattern != nil && !glob.Match(pattern, name, true) {
			continue
		}
		n++
		c.library(l.byName[name], withCode)
	}
	c.Resolve(mark, '*', n)
	return nil
}

func (c *Call) library(lib *script.Library, withCode bool) {
	c.Map(3 + btoi(withCode))
	c.BulkString("library_name")
	c.BulkString(lib.Name)
	c.BulkString("engine")
	c.BulkString("LUA")
	c.BulkString("functions")
	c.Array(len(lib.Functions))
	for _, f := range lib.Functions {
		c.Map(3)
		c.BulkString("name")
		c.BulkString(f.Name)
		c.BulkString("description")
		if f.Described {
			c.BulkString(f.Description)
		} else {
			c.Null()
		}
		c.BulkString("flags")
		names := f.Flags.Names()
		c.Set(len(names))
		for _, name := range names {
			c.Simple(name)
		}
	}
	if withCode {
		c.BulkString("library_code")
		c.BulkString(lib.Code)
	}
}

func functionStats(c *Call) error {
	s := &c.Engine.scripts
	r := s.busyScript()
	if r != nil && !r.function {
		return errBusyScript
	}
	c.Map(2)
	c.BulkString("running_script")
	if r == nil {
		c.Null()
	} else {
		c.Map(3)
		c.BulkString("name")
		c.BulkString(r.inv.Name)
		c.BulkString("command")
		c.Array(len(r.args))
		for _, arg := range r.args {
			c.Bulk(arg)
		}
		c.BulkString("duration_ms")
		c.Int(time.Since(r.began).Milliseconds())
	}
	c.BulkString("engines")
	c.Map(1)
	c.BulkString("LUA")
	c.Map(2)
	c.BulkString("libraries_count")
	c.Int(int64(len(s.lib.byName)))
	c.BulkString("functions_count")
	c.Int(int64(len(s.lib.functions)))
	return nil
}
