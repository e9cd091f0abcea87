package script

import (
	"errors"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"myredis/wire"
)

// Function is what a library has registered.
type Function struct {
	Name        string
	Description string
	Described   bool // Description was given
	Flags       Flags
	Library     *Library
}

// Library is a program that registers functions when it is run. Its functions
// share what it keeps in local variables.
type Library struct {
	Name      string
	Code      string // as it was given, first line included
	Functions []*Function

	proto *lua.FunctionProto
	log   Logger // while it is loaded
	index map[string]*Function
}

// loadTime is how long loading a library may take.
const loadTime = 500 * time.Millisecond

const errBadName Error = "Library names can only contain letters, numbers, or underscores(_) and must be at least one character long"

// validName reports whether a library or function may have the name.
func validName(name string) bool {
	for i := range len(name) {
		if !isNameByte(name[i]) {
			return false
		}
	}
	return name != ""
}

// LibraryName reads the first line of a library: "#!lua name=mylib". Errors
// are worded as replies are, without "ERR ".
func LibraryName(code string) (name string, err error) {
	name, _, err = libraryHead(code)
	return name, err
}

func libraryHead(code string) (name string, length int, err error) {
	if !strings.HasPrefix(code, "#!") {
		return "", 0, Error("Missing library metadata")
	}
	length = strings.IndexByte(code, '\n')
	if length < 0 {
		return "", 0, Error("Invalid library metadata")
	}
	parts, ok := splitWords(code[:length])
	if !ok || len(parts) == 0 {
		return "", 0, Error("Invalid library metadata")
	}
	named := false
	for _, part := range parts[1:] {
		const key = "name="
		if len(part) < len(key) || !strings.EqualFold(part[:len(key)], key) {
			return "", 0, Error("Invalid metadata value given: " + part)
		}
		if named {
			return "", 0, Error("Invalid metadata value, name argument was given multiple times")
		}
		name, named = part[len(key):], true
	}
	if !named {
		return "", 0, Error("Library name was not given")
	}
	if !validName(name) {
		return "", 0, errBadName
	}
	if engine := parts[0][2:]; !strings.EqualFold(engine, "lua") {
		return "", 0, Error("Engine '" + engine + "' not found")
	}
	return name, length, nil
}

// Load compiles and runs a library. Errors are worded as replies are, without
// "ERR ".
func (in *Interpreter) Load(code string, log Logger) (*Library, error) {
	name, length, err := libraryHead(code)
	if err != nil {
		return nil, err
	}
	proto, err := compile(code[length:], "user_function")
	if err != nil {
		return nil, Error("Error compiling function: " + err.Error())
	}
	lib := &Library{Name: name, Code: code, proto: proto, log: log, index: map[string]*Function{}}
	s := in.acquire()
	defer in.release(s)
	if _, err := s.loadLibrary(lib); err != nil {
		return nil, err
	}
	lib.log = nil
	if len(lib.Functions) == 0 {
		return nil, Error("No functions registered")
	}
	return lib, nil
}

// loadLibrary runs a library's program in this state. The functions that it
// registers live here; the library is described by its first run.
func (s *state) loadLibrary(lib *Library) (map[string]*lua.LFunction, error) {
	s.library, s.functions = lib, map[string]*lua.LFunction{}
	s.clock.reset()
	s.clock.load = time.Now().Add(loadTime)
	s.meta.RawSetString("__index", s.api)
	defer func() {
		s.meta.RawSetString("__index", s.globals)
		s.library, s.functions = nil, nil
		s.clock.reset()
	}()
	s.L.Push(s.enter)
	s.L.Push(s.L.NewFunctionFromProto(lib.proto))
	if err := s.L.PCall(1, 0, nil); err != nil {
		return nil, Error("Error registering functions: " + s.loadFault(err))
	}
	functions := s.functions
	s.loaded[lib] = functions
	return functions, nil
}

func (s *state) loadFault(err error) string {
	var fault *lua.ApiError
	if !errors.As(err, &fault) {
		return err.Error()
	}
	if fault.Type == lua.ApiErrorPanic {
		s.broken = true
	}
	if s.clock.killed {
		return "ERR " + s.clock.reason
	}
	if t, ok := fault.Object.(*lua.LTable); ok {
		said, _ := errorText(t)
		return said
	}
	return "ERR " + shown(fault.Object)
}

// Forget drops a library's functions, to be called when it is deleted.
func (in *Interpreter) Forget(lib *Library) {
	for _, s := range in.idle {
		delete(s.loaded, lib)
	}
}

// CallFunction runs a function of a library and appends its reply to out.
func (in *Interpreter) CallFunction(f *Function, inv *Invocation, out *wire.Encoder) {
	s := in.acquire()
	defer in.release(s)
	functions, ok := s.loaded[f.Library]
	if !ok {
		// A state that has not run the library yet.
		var err error
		f.Library.log = inv.Host
		functions, err = s.loadLibrary(f.Library)
		f.Library.log = nil
		if err != nil {
			text := "ERR " + err.Error()
			out.Error(text)
			inv.Host.Failed(text, false)
			return
		}
	}
	s.begin(inv)
	s.L.Push(s.enter)
	s.L.Push(functions[f.Name])
	s.L.Push(s.strings(inv.Keys))
	s.L.Push(s.strings(inv.Args))
	s.finish(s.L.PCall(3, 1, nil), out)
}

// newFunctionState is the state of functions. While a library is loaded its
// globals are a few; its functions find the usual ones later.
func newFunctionState(in *Interpreter) *state {
	s := newState(in)
	s.loaded = map[*Library]map[string]*lua.LFunction{}
	s.seal(s.redis())
	L := s.L
	redis := L.CreateTable(0, 8)
	s.set(redis, map[string]lua.LGFunction{"register_function": s.register})
	s.addLog(redis)
	s.addVersion(redis)
	s.strict(redis)
	s.api = L.CreateTable(0, 1)
	s.api.RawSetString("redis", s.freeze(redis))
	s.strict(s.api)
	// The table of globals that programs have is one more before that which
	// _G shows, because what is behind it changes.
	s.env = L.CreateTable(0, 0)
	s.meta = s.freezeAs(s.env, s.globals)
	L.Env, L.G.Global = s.env, s.env
	return s
}

// register is redis.register_function: a name and a function, or a table with
// named arguments.
func (s *state) register(L *lua.LState) int {
	if s.library == nil {
		return s.fail(L, "redis.register_function can only be called on FUNCTION LOAD command")
	}
	f := &Function{Library: s.library}
	var callback *lua.LFunction
	var problem string
	switch L.GetTop() {
	case 1:
		callback, problem = s.named(L, f)
	case 2:
		callback, problem = positional(L, f)
	default:
		problem = "wrong number of arguments to redis.register_function"
	}
	if problem != "" {
		return s.fail(L, problem)
	}
	if !validName(f.Name) {
		return s.fail(L, string(errBadName))
	}
	if s.functions[f.Name] != nil {
		return s.fail(L, "Function already exists in the library")
	}
	s.functions[f.Name] = callback
	if lib := s.library; lib.index[f.Name] == nil {
		lib.index[f.Name] = f
		lib.Functions = append(lib.Functions, f)
	}
	return 0
}

func positional(L *lua.LState, f *Function) (callback *lua.LFunction, problem string) {
	name, ok := text(L.Get(1))
	if !ok {
		return nil, "first argument to redis.register_function must be a string"
	}
	callback, ok = L.Get(2).(*lua.LFunction)
	if !ok {
		return nil, "second argument to redis.register_function must be a function"
	}
	f.Name = name
	return callback, ""
}

func (s *state) named(L *lua.LState, f *Function) (callback *lua.LFunction, problem string) {
	t, ok := L.Get(1).(*lua.LTable)
	if !ok {
		return nil, "calling redis.register_function with a single argument is only applicable to Lua table (representing named arguments)."
	}
	named := false
	s.pairs(t, func(k, v lua.LValue) bool {
		name, ok := text(k)
		if !ok {
			problem = "named argument key given to redis.register_function is not a string"
			return false
		}
		switch strings.ToLower(name) {
		case "function_name":
			if f.Name, named = text(v); !named {
				problem = "function_name argument given to redis.register_function must be a string"
			}
		case "description":
			if f.Description, f.Described = text(v); !f.Described {
				problem = "description argument given to redis.register_function must be a string"
			}
		case "callback":
			if callback, ok = v.(*lua.LFunction); !ok {
				problem = "callback argument given to redis.register_function must be a function"
			}
		case "flags":
			f.Flags, problem = functionFlags(v)
		default:
			problem = "unknown argument given to redis.register_function"
		}
		return problem == ""
	})
	switch {
	case problem != "":
	case !named:
		problem = "redis.register_function must get a function name argument"
	case callback == nil:
		problem = "redis.register_function must get a callback argument"
	}
	return callback, problem
}

func functionFlags(v lua.LValue) (flags Flags, problem string) {
	t, ok := v.(*lua.LTable)
	if !ok {
		return 0, "flags argument to redis.register_function must be a table representing function flags"
	}
	for i := 1; t.RawGetInt(i) != lua.LNil; i++ {
		name, _ := text(t.RawGetInt(i))
		flag, known := flagNamed(strings.ToLower(name))
		if !known {
			return 0, "unknown flag given"
		}
		flags |= flag
	}
	return flags, ""
}
