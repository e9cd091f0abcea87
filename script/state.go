package script

import (
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// state is one Lua state with everything in it that scripts can see.
//
// A program's globals are a table that is empty: reading goes on, by its
// metatable, to the table that has them, writing to an error. The libraries'
// tables are hidden behind such empty ones too (freeze). In this way nothing
// that a script does outlives it, except settings of cjson, as in Redis.
type state struct {
	in      *Interpreter
	L       *lua.LState
	env     *lua.LTable // what programs have as globals
	globals *lua.LTable // what is behind it
	enter   *lua.LFunction
	clock   interrupt

	frozen   map[*lua.LTable]*lua.LTable // the tables behind read-only ones
	veiled   map[*lua.LTable]*lua.LTable // their metatables, as scripts see them
	readonly *lua.LFunction              // refuses to write
	stranger *lua.LFunction              // refuses to read a global that is not there
	next     *lua.LFunction
	null     *lua.LUserData // cjson.null
	json     jsonSettings

	inv      *Invocation
	session  *Session // the debugger, or nil
	proto    int      // RESP version of replies that the script gets
	args     [][]byte
	digits   []byte
	calling  bool
	place    place // of the error that ends the script
	handler  *lua.LFunction
	guards   int                 // pcalls around
	resumed  int                 // coroutines around
	nested   map[*lua.LState]int // pcalls around, in coroutines
	verbatim bool                // the next error is not to be explained
	broken   bool                // not to be used again
	before   uint64              // allocated when it was begun
	bytes    int64               // allocated for it

	library   *Library // being loaded
	functions map[string]*lua.LFunction
	loaded    map[*Library]map[string]*lua.LFunction
	api       *lua.LTable // the globals of a library while it is loaded
	meta      *lua.LTable // env's metatable
}

// maxString bounds what string functions make (the default of
// proto-max-bulk-len: more could not be stored or replied). It is a variable
// for tests.
var maxString = 512 << 20

const errReadonly = "Attempt to modify a readonly table"

const (
	// Depths that end in an error and not in a crash: calls of Lua functions
	// (as in Lua, LUAI_MAXCALLS), and values on the stack.
	maxCalls  = 20000
	maxValues = 1 << 20
	// Coroutines are small: there can be many.
	maxCoroutineCalls  = 200
	maxResumed         = 200 // LUAI_MAXCCALLS
	maxCoroutineValues = 1 << 16

	// maxResults bounds unpack (LUAI_MAXCSTACK).
	maxResults = 8000
)

func newState(in *Interpreter) *state {
	s := &state{
		in: in,
		L: lua.NewState(lua.Options{
			CallStackSize: maxCalls, RegistrySize: 1024, RegistryMaxSize: maxValues, RegistryGrowStep: 1024, SkipOpenLibs: true,
		}),
		frozen: map[*lua.LTable]*lua.LTable{},
		veiled: map[*lua.LTable]*lua.LTable{},
		nested: map[*lua.LState]int{},
		null:   &lua.LUserData{Metatable: lua.LNil},
		json:   defaultJSON(),
	}
	L := s.L
	s.before = allocated()
	s.clock.s = s
	s.clock.reset()
	s.readonly = L.NewFunction(func(L *lua.LState) int {
		raise(L, errReadonly)
		return 0
	})
	s.stranger = L.NewFunction(func(L *lua.LState) int {
		name, ok := text(L.Get(2))
		if !ok {
			raise(L, "Second argument to luaProtectedTableError must be a string or number")
		}
		raise(L, "Script attempted to access nonexistent global variable '%s'", name)
		return 0
	})
	s.enter = L.NewFunction(func(L *lua.LState) int {
		L.Panic = s.raise
		L.Call(L.GetTop()-1, lua.MultRet)
		return L.GetTop()
	})
	s.globals = L.CreateTable(0, 48)
	s.openBase()
	s.openCoroutine()
	s.openTable()
	s.openString()
	s.openMath()
	s.open("bit", bitFunctions)
	s.open("struct", structFunctions)
	s.openJSON()
	s.openMessagePack()
	L.SetContext(&s.clock)
	return s
}

// newScriptState is the state of EVAL.
func newScriptState(in *Interpreter) *state {
	s := newState(in)
	redis := s.redis()
	s.set(redis, map[string]lua.LGFunction{
		"breakpoint":         s.breakpoint,
		"debug":              s.debug,
		"replicate_commands": func(L *lua.LState) int { L.Push(lua.LTrue); return 1 },
	})
	s.seal(redis)
	return s
}

// seal makes everything read-only.
func (s *state) seal(redis *lua.LTable) {
	s.globals.RawSetString("redis", redis)
	s.env = s.L.CreateTable(0, 0)
	s.globals.RawSetString("_G", s.env)
	s.globals.ForEach(func(name, v lua.LValue) {
		if t, ok := v.(*lua.LTable); ok && t != s.env {
			s.globals.RawSet(name, s.freeze(t))
		}
	})
	s.strict(s.globals)
	s.freezeAs(s.env, s.globals)
	s.L.Env, s.L.G.Global = s.env, s.env
}

// strict makes reading of what is not in a table an error.
func (s *state) strict(t *lua.LTable) {
	meta := s.L.CreateTable(0, 1)
	meta.RawSetString("__index", s.stranger)
	t.Metatable = meta
}

// freeze returns a table by which t can be read and not changed.
func (s *state) freeze(t *lua.LTable) *lua.LTable {
	front := s.L.CreateTable(0, 0)
	s.freezeAs(front, t)
	return front
}

func (s *state) freezeAs(front, t *lua.LTable) (meta *lua.LTable) {
	meta = s.L.CreateTable(0, 2)
	meta.RawSetString("__index", t)
	meta.RawSetString("__newindex", s.readonly)
	front.Metatable = meta
	s.frozen[front] = t
	if own, ok := t.Metatable.(*lua.LTable); ok {
		s.veiled[front] = s.freeze(own)
	}
	return meta
}

// behind returns the table that holds what a table shows: itself, unless it is
// read-only.
func (s *state) behind(t *lua.LTable) (behind *lua.LTable, readonly bool) {
	if t.Metatable == lua.LNil {
		return t, false
	}
	if real, ok := s.frozen[t]; ok {
		return real, true
	}
	return t, false
}

// writable refuses to change a read-only table, in a library function: Lua
// names no place then.
func (s *state) writable(L *lua.LState, t *lua.LTable) *lua.LTable {
	if _, readonly := s.behind(t); readonly {
		s.throw(L, lua.LString(errReadonly))
	}
	return t
}

// open adds a library's table to the globals.
func (s *state) open(name string, functions map[string]lua.LGFunction) *lua.LTable {
	t := s.L.CreateTable(0, len(functions))
	s.set(t, functions)
	s.globals.RawSetString(name, t)
	return t
}

// set adds functions to a table, in the order of their names.
func (s *state) set(t *lua.LTable, functions map[string]lua.LGFunction) {
	names := make([]string, 0, len(functions))
	for name := range functions {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t.RawSetString(name, s.L.NewFunction(functions[name]))
	}
}

// pairs calls fn for each key and value, in the order of next, until it
// returns false.
func (s *state) pairs(t *lua.LTable, fn func(k, v lua.LValue) bool) {
	t, _ = s.behind(t)
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		if !fn(k, v) {
			return
		}
	}
}

// protect calls the function and arguments that are the whole frame of L as
// pcall does. Results take their place.
func (s *state) protect(L *lua.LState, handler *lua.LFunction) *lua.ApiError {
	outer := s.handler
	s.handler = handler
	s.guards++
	if L != s.L {
		s.nested[L]++
	}
	nargs := L.GetTop()
	L.Insert(s.enter, 1)
	err := L.PCall(nargs, lua.MultRet, nil)
	if L != s.L {
		s.nested[L]--
	}
	s.guards--
	s.handler = outer
	if err == nil {
		return nil
	}
	fault := err.(*lua.ApiError)
	if fault.Type == lua.ApiErrorPanic {
		// The fault of the interpreter, or ours: who knows what is left of it.
		s.broken = true
	}
	return fault
}

func init() {
	// A number up to this as a key makes the machine allocate an array of
	// that length: 16 bytes each. Its default, 64 M, is 1 GB for t[2^26-1]=1.
	lua.MaxArrayIndex = 1 << 22
}
