package script

import (
	"crypto/rand"
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// Calls of Go functions that the parser puts into programs.
//
// In the tree the function is a string constant that no program can contain;
// the compiled constants are then replaced by the functions. So they are no
// variables that a program could see or change.

var (
	concatMark     = newMark()
	forNumberMarks = [3]string{newMark(), newMark(), newMark()}

	goFunctions = map[lua.LValue]*lua.LFunction{
		lua.LString(concatMark):        {IsG: true, GFunction: concat},
		lua.LString(forNumberMarks[0]): {IsG: true, GFunction: forNumber("'for' initial value must be a number")},
		lua.LString(forNumberMarks[1]): {IsG: true, GFunction: forNumber("'for' limit must be a number")},
		lua.LString(forNumberMarks[2]): {IsG: true, GFunction: forNumber("'for' step must be a number")},
	}
)

func newMark() string {
	var random [16]byte
	rand.Read(random[:])
	return string(random[:])
}

func goCall(mark string, args ...ast.Expr) *ast.FuncCallExpr {
	f := &ast.StringExpr{Value: mark}
	if len(args) > 0 {
		f.SetLine(args[0].Line())
	}
	return &ast.FuncCallExpr{Func: f, Args: args, AdjustRet: true}
}

func isGoCall(call *ast.FuncCallExpr, mark string) bool {
	f, ok := call.Func.(*ast.StringExpr)
	return ok && f.Value == mark
}

// concat is the operator .. with any number of operands.
func concat(L *lua.LState) int {
	n := L.GetTop()
	var room [64]byte
	joined := room[:0]
	for i := 1; i <= n; i++ {
		switch v := L.Get(i).(type) {
		case lua.LString:
			joined = append(joined, v...)
		case lua.LNumber:
			joined = appendNumber(joined, float64(v), shownDigits)
		default:
			L.Push(concatObjects(L, n))
			return 1
		}
		if len(joined) > maxString {
			raise(L, "string length overflow")
		}
	}
	L.Push(lua.LString(joined))
	return 1
}

// concatObjects joins operands of which one has to be asked how, from the
// right to the left, two at a time.
func concatObjects(L *lua.LState, n int) lua.LValue {
	right := L.Get(n)
	for i := n - 1; i >= 1; i-- {
		left := L.Get(i)
		a, aText := text(left)
		b, bText := text(right)
		if aText && bText {
			right = lua.LString(a + b)
			continue
		}
		op := L.GetMetaField(left, "__concat")
		if op == lua.LNil {
			op = L.GetMetaField(right, "__concat")
		}
		if op == lua.LNil {
			raise(L, "%s", explainConcat(L, i, aText, left, right))
		}
		L.Push(op)
		L.Push(left)
		L.Push(right)
		L.Call(2, 1)
		right = L.Get(-1)
		L.Pop(1)
	}
	return right
}

func explainConcat(L *lua.LState, i int, leftIsText bool, left, right lua.LValue) string {
	culprit, at := left, i
	if leftIsText {
		culprit, at = right, i+1
	}
	if f, ok := frameAt(L, 1); ok {
		return describe(&f, "concatenate", f.current().a()+at, culprit)
	}
	return "attempt to concatenate a " + culprit.Type().String() + " value"
}

func forNumber(complaint string) lua.LGFunction {
	return func(L *lua.LState) int {
		f, ok := number(L.Get(1))
		if !ok {
			raise(L, "%s", complaint)
		}
		L.Push(lua.LNumber(f))
		return 1
	}
}

// compile makes an executable function of a program. Errors are worded as
// Lua's: "user_script:1: unexpected symbol near '='".
func compile(source, chunk string) (proto *lua.FunctionProto, err error) {
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case Error:
			err = fault
		default:
			// What the interpreter's compiler has no other words for.
			err = Error(chunk + ": function or expression too complex")
		}
	}()
	stmts, fn, usesArg := parse(source, chunk)
	proto, err = lua.Compile(stmts, chunk)
	if err != nil {
		var fault *lua.CompileError
		if errors.As(err, &fault) {
			err = Error(fmt.Sprintf("%s:%d: %s", chunk, fault.Line, fault.Message))
		}
		return nil, err
	}
	finish(proto, fn, usesArg)
	proto.IsVarArg &^= lua.VarArgNeedsArg // a chunk has no arg
	return proto, nil
}

// finish puts Go functions in the place of their marks, and repairs the table
// of local variables, in which the interpreter gets the ends of scopes wrong:
// one ends where another variable moves into the register or one below.
func finish(proto *lua.FunctionProto, fn *function, usesArg bool) {
	for i, c := range proto.Constants {
		if f, ok := goFunctions[c]; ok {
			proto.Constants[i] = f
		}
	}
	if !usesArg {
		// Making that table is most of what a call costs.
		proto.IsVarArg &^= lua.VarArgNeedsArg
	}
	locals := proto.DbgLocals
	for i := range locals {
		locals[i].EndPc = len(proto.Code) + 1
		for j := i + 1; j < len(locals) && len(locals) == len(fn.locals); j++ {
			if fn.locals[j] <= fn.locals[i] {
				locals[i].EndPc = locals[j].StartPc + 1
				break
			}
		}
	}
	for i, nested := range proto.FunctionPrototypes {
		if i < len(fn.nested) {
			finish(nested, fn.nested[i], usesArg)
		}
	}
}
