package script

import (
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

// priorities of binary operators: left and right.
var priorities = map[string][2]int{
	"+": {6, 6}, "-": {6, 6}, "*": {7, 7}, "/": {7, 7}, "%": {7, 7}, "^": {10, 9}, "..": {5, 4},
	"~=": {3, 3}, "==": {3, 3}, "<": {3, 3}, "<=": {3, 3}, ">": {3, 3}, ">=": {3, 3}, "and": {2, 2}, "or": {1, 1},
}

const unaryPriority = 8

func (p *parser) expression() ast.Expr { return p.subexpression(0) }

// subexpression reads operators that bind stronger than limit.
func (p *parser) subexpression(limit int) ast.Expr {
	p.enter()
	defer p.leave()
	var e ast.Expr
	switch {
	case p.accept("not"):
		operand := p.subexpression(unaryPriority)
		e = p.at(&ast.UnaryNotOpExpr{Expr: operand}, p.last)
	case p.accept("-"):
		operand := p.subexpression(unaryPriority)
		e = p.at(&ast.UnaryMinusOpExpr{Expr: operand}, p.last)
	case p.accept("#"):
		operand := p.subexpression(unaryPriority)
		e = p.at(&ast.UnaryLenOpExpr{Expr: operand}, p.last)
	default:
		e = p.simple()
	}
	for operators := 0; ; operators++ {
		p.chained(operators)
		op := p.token.text
		priority, isOperator := priorities[op]
		if p.token.kind != tokenSymbol && p.token.kind != tokenKeyword || !isOperator || priority[0] <= limit {
			return e
		}
		p.advance()
		e = p.binary(op, e, p.subexpression(priority[1]))
	}
}

func (p *parser) binary(op string, a, b ast.Expr) ast.Expr {
	var e ast.Expr
	switch op {
	case "and", "or":
		e = &ast.LogicalOpExpr{Operator: op, Lhs: a, Rhs: b}
	case "==", "~=", "<", "<=", ">", ">=":
		e = &ast.RelationalOpExpr{Operator: op, Lhs: a, Rhs: b}
	case "..":
		e = p.concatenation(a, b)
	default:
		e = &ast.ArithmeticOpExpr{Operator: op, Lhs: a, Rhs: b}
	}
	return p.at(e, p.last)
}

// concatenation is a call with all operands of a chain of ..; b is what
// follows in the chain.
func (p *parser) concatenation(a, b ast.Expr) ast.Expr {
	single(a)
	if call, ok := b.(*ast.FuncCallExpr); ok && isGoCall(call, concatMark) && len(call.Args) < maxArguments {
		call.Args = append([]ast.Expr{a}, call.Args...)
		return call
	}
	single(b)
	return goCall(concatMark, a, b)
}

// single keeps an expression from giving more than one value.
func single(e ast.Expr) {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = true
	case *ast.Comma3Expr:
		e.AdjustRet = true
	}
}

// parenthesized is an expression in parentheses: one value, and nothing that
// can be taken apart or assigned to.
func (p *parser) parenthesized(e ast.Expr) ast.Expr {
	single(e)
	switch e := e.(type) {
	case *ast.IdentExpr, *ast.AttrGetExpr:
		return p.at(&grouped{Expr: e}, e.Line())
	}
	return e
}

// grouped marks parentheses while reading. It never gets into the tree.
type grouped struct {
	ast.ExprBase
	Expr ast.Expr
}

func ungroup(e ast.Expr) ast.Expr {
	if g, ok := e.(*grouped); ok {
		return g.Expr
	}
	return e
}

func (p *parser) simple() ast.Expr {
	var e ast.Expr
	switch t := p.token; {
	case t.kind == tokenNumber:
		p.constant(t.number)
		e = &ast.NumberExpr{Value: strconv.FormatFloat(t.number, 'g', -1, 64)}
	case t.kind == tokenString:
		p.constant(t.text)
		e = &ast.StringExpr{Value: t.text}
	case t.is("nil"):
		e = &ast.NilExpr{}
	case t.is("true"):
		e = &ast.TrueExpr{}
	case t.is("false"):
		e = &ast.FalseExpr{}
	case t.is("..."):
		if !p.fn.vararg {
			p.fail("cannot use '...' outside a vararg function")
		}
		e = &ast.Comma3Expr{}
	case t.is("{"):
		return p.table()
	case t.is("function"):
		p.advance()
		return p.functionBody(false, p.last)
	default:
		return p.primary()
	}
	p.advance()
	return p.at(e, p.last)
}

// prefix reads a name or an expression in parentheses.
func (p *parser) prefix() ast.Expr {
	switch {
	case p.token.kind == tokenName:
		return p.identifier()
	case p.token.is("("):
		line := p.token.line
		p.advance()
		e := p.expression()
		p.match(")", "(", line)
		return p.parenthesized(e)
	}
	p.fail("unexpected symbol")
	return nil
}

// primary reads a prefix and what is done to it: fields, calls.
func (p *parser) primary() ast.Expr { return ungroup(p.target()) }

// target is primary for what may be assigned to: parentheses, which forbid
// that, are left to be seen.
func (p *parser) target() ast.Expr {
	e := p.prefix()
	for suffixes := 0; ; suffixes++ {
		p.chained(suffixes)
		line := p.token.line
		switch {
		case p.token.is("."):
			p.advance()
			e = p.at(&ast.AttrGetExpr{Object: ungroup(e), Key: p.stringKey()}, p.last)
		case p.token.is("["):
			p.advance()
			key := p.expression()
			p.expect("]")
			e = p.at(&ast.AttrGetExpr{Object: ungroup(e), Key: key}, p.last)
		case p.token.is(":"):
			p.advance()
			method := p.name()
			args := p.arguments()
			e = p.at(&ast.FuncCallExpr{Receiver: ungroup(e), Method: method, Args: args}, line)
		case p.token.is("("), p.token.is("{"), p.token.kind == tokenString:
			args := p.arguments()
			e = p.at(&ast.FuncCallExpr{Func: ungroup(e), Args: args}, line)
		default:
			return e
		}
	}
}

func (p *parser) arguments() (args []ast.Expr) {
	switch {
	case p.token.kind == tokenString:
		e := p.at(&ast.StringExpr{Value: p.token.text}, p.token.line)
		p.advance()
		return []ast.Expr{e}
	case p.token.is("{"):
		return []ast.Expr{p.table()}
	case p.token.is("("):
		line := p.token.line
		if line != p.last {
			p.fail("ambiguous syntax (function call x new statement)")
		}
		p.advance()
		if !p.token.is(")") {
			args = p.expressions()
		}
		if len(args) > maxArguments {
			p.fail("function or expression too complex")
		}
		p.match(")", "(", line)
		return args
	}
	p.fail("function arguments expected")
	return nil
}

func (p *parser) table() ast.Expr {
	line := p.token.line
	table := &ast.TableExpr{}
	p.expect("{")
	for !p.token.is("}") {
		table.Fields = append(table.Fields, p.field())
		if !p.accept(",") && !p.accept(";") {
			break
		}
	}
	p.match("}", "{", line)
	return p.at(table, line)
}

func (p *parser) field() *ast.Field {
	f := &ast.Field{}
	switch {
	case p.token.kind == tokenName && p.lookahead().is("="):
		f.Key = p.stringKey()
	case p.token.is("["):
		p.advance()
		f.Key = p.expression()
		p.expect("]")
	default:
		f.Value = p.expression()
		return f
	}
	p.expect("=")
	f.Value = p.expression()
	single(f.Value)
	return f
}

func (p *parser) functionBody(method bool, line int) *ast.FunctionExpr {
	fn := &function{parent: p.fn, defined: line}
	p.fn.nested = append(p.fn.nested, fn)
	p.fn = fn
	if method {
		p.declare("self")
	}
	e := &ast.FunctionExpr{ParList: &ast.ParList{Names: []string{}}}
	p.expect("(")
	for !p.token.is(")") {
		if p.accept("...") {
			e.ParList.HasVargs, fn.vararg = true, true
			break
		}
		if p.token.kind != tokenName {
			p.fail("<name> or '...' expected")
		}
		e.ParList.Names = append(e.ParList.Names, p.name())
		if !p.accept(",") {
			break
		}
		if p.token.is(")") {
			p.fail("<name> or '...' expected")
		}
	}
	p.declare(e.ParList.Names...)
	if fn.vararg {
		p.declare("arg")
	}
	p.expect(")")
	e.Stmts = p.chunk()
	e.SetLine(p.token.line) // Lua makes the function when it has read its end
	e.SetLastLine(p.token.line)
	p.match("end", "function", line)
	p.fn = fn.parent
	return e
}
