package script

import (
	lua "github.com/yuin/gopher-lua"
)

// openCoroutine adds coroutines, which the interpreter has, with smaller
// stacks than its own and counted instructions.
func (s *state) openCoroutine() {
	L := s.L
	lua.OpenCoroutine(L)
	given := L.G.Global.RawGetString("coroutine").(*lua.LTable)
	t := L.CreateTable(0, 6)
	for _, name := range []string{"running", "status"} {
		t.RawSetString(name, given.RawGetString(name))
	}
	original := func(name string) lua.LGFunction {
		return given.RawGetString(name).(*lua.LFunction).GFunction
	}
	s.set(t, map[string]lua.LGFunction{
		"create": s.thread(original("create")),
		"resume": s.nest(original("resume")),
		"wrap":   s.thread(original("wrap")),
		"yield":  s.yield(original("yield")),
	})
	s.globals.RawSetString("coroutine", t)
}

// thread makes a coroutine, which takes over the options and the context that
// its creator has at that moment.
func (s *state) thread(create lua.LGFunction) lua.LGFunction {
	return func(L *lua.LState) int {
		checkFunction(L, 1)
		options, ctx := L.Options, L.RemoveContext()
		L.Options = lua.Options{
			CallStackSize: maxCoroutineCalls, RegistrySize: 256, RegistryMaxSize: maxCoroutineValues, RegistryGrowStep: 256,
			MinimizeStackMemory: true,
		}
		n := create(L)
		L.Options = options
		L.SetContext(ctx)
		switch v := L.Get(-1).(type) {
		case *lua.LState:
			v.SetContext(&s.clock)
		case *lua.LFunction: // wrap keeps the coroutine as its upvalue
			v.Upvalues[0].Value().(*lua.LState).SetContext(&s.clock)
			v.GFunction = s.nest(v.GFunction)
		}
		return n
	}
}

// nest resumes a coroutine, unless that is done inside of too many others: each
// has a stack of Lua's, but all share one of Go's.
func (s *state) nest(resume lua.LGFunction) lua.LGFunction {
	return func(L *lua.LState) int {
		if s.resumed >= maxResumed {
			raise(L, "C stack overflow")
		}
		s.resumed++
		defer func() { s.resumed-- }()
		return resume(L)
	}
}

func (s *state) yield(yield lua.LGFunction) lua.LGFunction {
	return func(L *lua.LState) int {
		if L == s.L || s.nested[L] > 0 {
			raise(L, "attempt to yield across metamethod/C-call boundary")
		}
		return yield(L)
	}
}
