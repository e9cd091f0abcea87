package script

import (
	"reflect"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// What Lua says about the value that an instruction choked on ("field 'x' (a
// nil value)") it finds out by reading the instructions before. The
// interpreter does not offer that, but its instructions are Lua's, and so the
// same can be done from outside.

// frame is a Lua function that is being run.
type frame struct {
	fn    *lua.LFunction
	pc    int // of the next instruction
	debug *lua.Debug
}

// frameAt returns the frame at a level of the stack (0: the running function),
// if it is a Lua function's.
func frameAt(L *lua.LState, level int) (f frame, ok bool) {
	dbg, ok := L.GetStack(level)
	if !ok {
		return f, false
	}
	fv, err := L.GetInfo("f", dbg, lua.LNil)
	if err != nil {
		return f, false
	}
	fn, ok := fv.(*lua.LFunction)
	if !ok || fn.IsG {
		return f, false
	}
	// The place is the one thing that the interpreter keeps to itself.
	call := reflect.ValueOf(dbg).Elem().FieldByName("frame")
	if !call.IsValid() || call.IsNil() {
		return f, false
	}
	pc := call.Elem().FieldByName("Pc")
	if !pc.IsValid() {
		return f, false
	}
	f = frame{fn: fn, pc: int(pc.Int()), debug: dbg}
	return f, f.pc > 0 && f.pc <= len(fn.Proto.Code)
}

// instruction is one of Lua 5.1's, in the layout of package lua.
type instruction uint32

const constantBit = 1 << 8 // an operand that is a constant and no register

func (i instruction) op() int { return int(i >> 26) }
func (i instruction) a() int  { return int(i>>18) & 0xff }
func (i instruction) b() int  { return int(i) & 0x1ff }
func (i instruction) c() int  { return int(i>>9) & 0x1ff }
func (i instruction) bx() int { return int(i) & 0x3ffff }

// sbx is the length of a jump.
func (i instruction) sbx() int { return i.bx() - 0x3ffff>>1 }

// current is the instruction that is being run.
func (f *frame) current() instruction { return instruction(f.fn.Proto.Code[f.pc-1]) }

func (f *frame) line() int { return f.fn.Proto.DbgSourcePositions[f.pc-1] }

// value returns what an operand holds.
func (f *frame) value(L *lua.LState, operand int) lua.LValue {
	if operand&constantBit != 0 {
		return f.constant(operand &^ constantBit)
	}
	if _, v := L.GetLocal(f.debug, operand+1); v != nil {
		return v
	}
	return lua.LNil
}

func (f *frame) constant(i int) lua.LValue {
	if i < len(f.fn.Proto.Constants) {
		return f.fn.Proto.Constants[i]
	}
	return lua.LNil
}

// name says how a register got its value: "global", "field", "local",
// "upvalue" or "method" and the name, or nothing.
func (f *frame) name(register int) (kind, name string) {
	return f.nameAt(register, f.pc-1)
}

func (f *frame) nameAt(register, pc int) (kind, name string) {
	if register&constantBit != 0 {
		return "", ""
	}
	if name := localName(f.fn, register, pc); name != "" {
		return "local", name
	}
	if at := f.setter(register, pc); at >= 0 {
		return f.origin(instruction(f.fn.Proto.Code[at]), at)
	}
	return "", ""
}

// setter returns the instruction that gave a register the value it has at pc,
// or -1. As Lua does (symbexec), it follows jumps forward that do not lead
// beyond pc, for what they pass over may not have been run.
func (f *frame) setter(register, pc int) (at int) {
	at = -1
	code := f.fn.Proto.Code
	for i := 0; i < pc; i++ {
		in := instruction(code[i])
		sets := in.a() == register
		switch in.op() {
		case lua.OP_SETGLOBAL, lua.OP_SETUPVAL, lua.OP_SETTABLE, lua.OP_SETTABLEKS, lua.OP_SETLIST, lua.OP_EQ, lua.OP_LT,
			lua.OP_LE, lua.OP_TEST, lua.OP_RETURN, lua.OP_CLOSE, lua.OP_NOP:
			sets = false
		case lua.OP_CALL, lua.OP_TAILCALL, lua.OP_VARARG:
			sets = register >= in.a()
		case lua.OP_TFORLOOP:
			sets = register >= in.a()+2
		case lua.OP_LOADNIL:
			sets = in.a() <= register && register <= in.b()
		case lua.OP_SELF:
			sets = sets || register == in.a()+1
		}
		if sets {
			at = i
		}
		switch in.op() {
		case lua.OP_JMP, lua.OP_FORLOOP, lua.OP_FORPREP:
			if to := i + 1 + in.sbx(); to > i && to <= pc {
				i = to - 1
			}
		case lua.OP_CLOSURE: // what follows tells its upvalues
			i += int(f.fn.Proto.FunctionPrototypes[in.bx()].NumUpvalues)
		}
	}
	return at
}

// origin names what an instruction loads.
func (f *frame) origin(i instruction, pc int) (kind, name string) {
	switch i.op() {
	case lua.OP_GETGLOBAL:
		return "global", f.constant(i.bx()).String()
	case lua.OP_GETTABLE, lua.OP_GETTABLEKS:
		return f.key("field", i.c())
	case lua.OP_SELF:
		return f.key("method", i.c())
	case lua.OP_GETUPVAL:
		if i.b() < len(f.fn.Proto.DbgUpvalues) {
			return "upvalue", f.fn.Proto.DbgUpvalues[i.b()]
		}
	case lua.OP_MOVE, lua.OP_MOVEN:
		if i.b() < i.a() {
			return f.nameAt(i.b(), pc)
		}
	}
	return "", ""
}

func (f *frame) key(kind string, operand int) (string, string) {
	if operand&constantBit == 0 {
		return kind, "?"
	}
	if name, ok := f.constant(operand &^ constantBit).(lua.LString); ok {
		return kind, string(name)
	}
	return kind, "?"
}

// localName returns the name of the local variable that lives in a register.
func localName(fn *lua.LFunction, register, pc int) string {
	name, _ := fn.LocalName(register+1, pc+1)
	if strings.HasPrefix(name, "(") {
		return "" // a loop's own
	}
	return name
}

// calledAs says by what name the running Go function was called.
func calledAs(L *lua.LState) (kind, name string) {
	if f, ok := frameAt(L, 1); ok {
		switch i := f.current(); i.op() {
		case lua.OP_CALL, lua.OP_TAILCALL:
			if kind, name = f.name(i.a()); name != "" {
				return kind, name
			}
		}
	}
	return "", "?"
}

// operand describes the value in a register or constant for an error.
func (f *frame) operand(L *lua.LState, action string, register int) string {
	return describe(f, action, register, f.value(L, register))
}

func describe(f *frame, action string, register int, v lua.LValue) string {
	if kind, name := f.name(register); kind != "" {
		return "attempt to " + action + " " + kind + " '" + name + "' (a " + v.Type().String() + " value)"
	}
	return "attempt to " + action + " a " + v.Type().String() + " value"
}
