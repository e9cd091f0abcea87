package script

import (
	"fmt"

	"github.com/yuin/gopher-lua/ast"
)

// The parser makes the interpreter's syntax tree, with three things in it that
// are not in the text, because the interpreter does them otherwise than Lua:
// .. and the limits of a numeric for become calls of Go functions that convert
// between numbers and strings as Lua does (concat, forNumber), and "local f =
// function" is told from "local function f", of which only the latter sees its
// own name.

const (
	maxNesting   = 200 // LUAI_MAXCCALLS
	maxLocals    = 180 // Lua has 200; the interpreter 200 registers for locals and temporaries
	maxArguments = 180

	// What is a chain to Lua, and may be of any length, is nested in the tree,
	// and the interpreter's compiler goes down into it.
	maxChain = 5000
	// The compiler finds constants by comparing with all others.
	maxConstants = 1 << 15
)

type parser struct {
	lexer   lexer
	token   token // the one to be looked at
	ahead   *token
	last    int // line of the token before
	nesting int
	fn      *function
	arg     bool // the name arg occurs
	elseifs int
}

// function is what is known of a function while it is read.
type function struct {
	parent  *function
	vararg  bool
	active  int   // local variables that are in scope
	loops   int   // loops around
	locals  []int // the register of each local variable, in order of declaration
	nested  []*function
	defined int

	constants map[any]struct{}
}

// parse reads a chunk. The function describes the registers of its locals;
// usesArg says that the program may look at the table arg, by which functions
// could see their variable arguments before Lua 5.1.
func parse(source, chunk string) (stmts []ast.Stmt, fn *function, usesArg bool) {
	p := &parser{lexer: lexer{chunk: chunk, src: source, line: 1}, last: 1}
	p.fn = &function{vararg: true}
	p.advance()
	stmts = p.chunk()
	if p.token.kind != tokenEOF {
		p.expected(endOfFile)
	}
	return stmts, p.fn, p.arg
}

func (p *parser) advance() {
	p.last = p.token.line
	if p.ahead != nil {
		p.token, p.ahead = *p.ahead, nil
		return
	}
	p.token = p.lexer.next()
}

func (p *parser) lookahead() *token {
	if p.ahead == nil {
		t := p.lexer.next()
		p.ahead = &t
	}
	return p.ahead
}

func (p *parser) fail(message string) {
	p.lexer.line = max(p.token.line, 1)
	p.lexer.fail(message, p.token.raw)
}

func (p *parser) expected(word string) { p.fail("'" + word + "' expected") }

func (p *parser) accept(word string) bool {
	if p.token.is(word) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(word string) {
	if !p.accept(word) {
		p.expected(word)
	}
}

// match expects the end of what was opened on a line.
func (p *parser) match(word, opened string, line int) {
	if p.accept(word) {
		return
	}
	if line == p.token.line {
		p.expected(word)
	}
	p.fail(fmt.Sprintf("'%s' expected (to close '%s' at line %d)", word, opened, line))
}

func (p *parser) name() string {
	if p.token.kind != tokenName {
		p.fail("'<name>' expected")
	}
	name := p.token.text
	p.arg = p.arg || name == "arg"
	p.constant(name)
	p.advance()
	return name
}

func (p *parser) enter() {
	p.nesting++
	if p.nesting > maxNesting {
		p.lexer.line = max(p.token.line, 1)
		p.lexer.fail("chunk has too many syntax levels", "")
	}
}

func (p *parser) leave() { p.nesting-- }

// chained refuses a chain that has become too long.
func (p *parser) chained(length int) {
	if length > maxChain {
		p.fail("chunk has too many syntax levels")
	}
}

// constant counts a name, string or number that the function needs.
func (p *parser) constant(c any) {
	if p.fn.constants == nil {
		p.fn.constants = map[any]struct{}{}
	}
	p.fn.constants[c] = struct{}{}
	if len(p.fn.constants) > maxConstants {
		p.fail("constant table overflow")
	}
}

// declare brings local variables into scope.
func (p *parser) declare(names ...string) {
	for range names {
		p.fn.locals = append(p.fn.locals, p.fn.active)
		p.fn.active++
	}
	if p.fn.active > maxLocals {
		where := "main function"
		if p.fn.parent != nil {
			where = fmt.Sprintf("function at line %d", p.fn.defined)
		}
		p.lexer.line = max(p.token.line, 1)
		p.lexer.fail(fmt.Sprintf("%s has more than %d local variables", where, 200), p.token.raw)
	}
}

// block reads statements whose local variables end with it.
func (p *parser) block() []ast.Stmt {
	active := p.fn.active
	stmts := p.chunk()
	p.fn.active = active
	return stmts
}

func (p *parser) blockFollows() bool {
	t := &p.token
	return t.kind == tokenEOF || t.is("else") || t.is("elseif") || t.is("end") || t.is("until")
}

func (p *parser) chunk() (stmts []ast.Stmt) {
	p.enter()
	defer p.leave()
	for last := false; !last && !p.blockFollows(); {
		var stmt ast.Stmt
		line := p.token.line
		stmt, last = p.statement()
		if stmt.Line() == 0 {
			stmt.SetLine(line)
		}
		if stmt.LastLine() == 0 {
			stmt.SetLastLine(p.last)
		}
		stmts = append(stmts, stmt)
		p.accept(";")
	}
	return stmts
}

// statement reads a statement; last says that none may follow.
func (p *parser) statement() (stmt ast.Stmt, last bool) {
	line := p.token.line
	if p.token.kind != tokenKeyword {
		return p.expressionStatement(), false
	}
	switch p.token.text {
	case "if":
		p.advance()
		stmt := p.ifRest(line)
		p.match("end", "if", line)
		return stmt, false
	case "while":
		return p.whileStatement(line), false
	case "do":
		p.advance()
		stmts := p.block()
		p.match("end", "do", line)
		return &ast.DoBlockStmt{Stmts: stmts}, false
	case "for":
		return p.forStatement(line), false
	case "repeat":
		return p.repeatStatement(line), false
	case "function":
		return p.functionStatement(line), false
	case "local":
		p.advance()
		if p.accept("function") {
			return p.localFunction(), false
		}
		return p.localStatement(), false
	case "return":
		return p.returnStatement(), true
	case "break":
		p.advance()
		if p.fn.loops == 0 {
			p.fail("no loop to break")
		}
		return &ast.BreakStmt{}, true
	}
	return p.expressionStatement(), false
}

// ifRest reads an if from its condition up to its end.
func (p *parser) ifRest(line int) *ast.IfStmt {
	stmt := &ast.IfStmt{Condition: p.expression()}
	stmt.SetLine(line)
	p.expect("then")
	stmt.Then = p.block()
	switch at := p.token.line; {
	case p.accept("elseif"):
		p.elseifs++
		p.chained(p.elseifs)
		next := p.ifRest(at)
		p.elseifs--
		next.SetLastLine(p.last)
		stmt.Else = []ast.Stmt{next}
	case p.accept("else"):
		stmt.Else = p.block()
	}
	stmt.SetLastLine(p.token.line)
	return stmt
}

func (p *parser) loop() []ast.Stmt {
	p.fn.loops++
	stmts := p.block()
	p.fn.loops--
	return stmts
}

func (p *parser) whileStatement(line int) ast.Stmt {
	p.advance()
	stmt := &ast.WhileStmt{Condition: p.expression()}
	p.expect("do")
	stmt.Stmts = p.loop()
	stmt.SetLastLine(p.token.line)
	p.match("end", "while", line)
	return stmt
}

func (p *parser) repeatStatement(line int) ast.Stmt {
	p.advance()
	active := p.fn.active
	p.fn.loops++
	stmt := &ast.RepeatStmt{Stmts: p.chunk()}
	p.match("until", "repeat", line)
	stmt.Condition = p.expression() // sees the locals of the body
	p.fn.loops--
	p.fn.active = active
	return stmt
}

func (p *parser) forStatement(line int) (stmt ast.Stmt) {
	p.advance()
	active := p.fn.active
	first := p.name()
	switch {
	case p.token.is("="):
		stmt = p.numericFor(first)
	case p.token.is(",") || p.token.is("in"):
		stmt = p.genericFor(first)
	default:
		p.fail("'=' or 'in' expected")
	}
	stmt.SetLine(line)
	stmt.SetLastLine(p.token.line)
	p.match("end", "for", line)
	p.fn.active = active
	return stmt
}

func (p *parser) numericFor(name string) ast.Stmt {
	p.advance()
	stmt := &ast.NumberForStmt{Name: name}
	stmt.Init = p.forNumber(0)
	p.expect(",")
	stmt.Limit = p.forNumber(1)
	if p.accept(",") {
		stmt.Step = p.forNumber(2)
	}
	p.declare("(for index)", "(for limit)", "(for step)", name)
	p.expect("do")
	stmt.Stmts = p.loop()
	return stmt
}

// forNumber reads an expression that a numeric for needs to be a number.
func (p *parser) forNumber(which int) ast.Expr {
	e := p.expression()
	if _, isNumber := e.(*ast.NumberExpr); isNumber {
		return e
	}
	single(e)
	return p.at(goCall(forNumberMarks[which], e), p.last)
}

func (p *parser) genericFor(first string) ast.Stmt {
	stmt := &ast.GenericForStmt{Names: []string{first}}
	for p.accept(",") {
		stmt.Names = append(stmt.Names, p.name())
	}
	p.expect("in")
	stmt.Exprs = p.expressions()
	p.declare("(for generator)", "(for state)", "(for control)")
	p.declare(stmt.Names...)
	p.expect("do")
	stmt.Stmts = p.loop()
	return stmt
}

func (p *parser) functionStatement(line int) ast.Stmt {
	p.advance()
	stmt := &ast.FuncDefStmt{Name: &ast.FuncName{}}
	var target ast.Expr = p.identifier()
	for p.token.is(".") {
		p.advance()
		target = p.at(&ast.AttrGetExpr{Object: target, Key: p.stringKey()}, p.last)
	}
	method := p.accept(":")
	if method {
		stmt.Name.Receiver, stmt.Name.Method = target, p.name()
	} else {
		stmt.Name.Func = target
	}
	stmt.Func = p.functionBody(method, line)
	return stmt
}

func (p *parser) localFunction() ast.Stmt {
	name := p.name()
	p.declare(name)
	return &ast.LocalAssignStmt{Names: []string{name}, Exprs: []ast.Expr{p.functionBody(false, p.last)}}
}

func (p *parser) localStatement() ast.Stmt {
	stmt := &ast.LocalAssignStmt{Names: []string{p.name()}}
	for p.accept(",") {
		stmt.Names = append(stmt.Names, p.name())
	}
	if p.accept("=") {
		stmt.Exprs = p.expressions()
	}
	if len(stmt.Names) == 1 && len(stmt.Exprs) == 1 {
		if _, isFunction := stmt.Exprs[0].(*ast.FunctionExpr); isFunction {
			// A second value, thrown away, keeps the name out of the function.
			stmt.Exprs = append(stmt.Exprs, p.at(&ast.NilExpr{}, p.last))
		}
	}
	p.declare(stmt.Names...)
	return stmt
}

func (p *parser) returnStatement() ast.Stmt {
	p.advance()
	stmt := &ast.ReturnStmt{}
	if !p.blockFollows() && !p.token.is(";") {
		stmt.Exprs = p.expressions()
	}
	stmt.SetLine(p.last)
	return stmt
}

// expressionStatement reads a call or an assignment.
func (p *parser) expressionStatement() ast.Stmt {
	e := p.target()
	if call, ok := e.(*ast.FuncCallExpr); ok && !call.AdjustRet {
		return &ast.FuncCallStmt{Expr: call}
	}
	targets := []ast.Expr{p.assignable(e)}
	for p.accept(",") {
		targets = append(targets, p.assignable(p.target()))
	}
	p.expect("=")
	return &ast.AssignStmt{Lhs: targets, Rhs: p.expressions()}
}

func (p *parser) assignable(e ast.Expr) ast.Expr {
	switch e.(type) {
	case *ast.IdentExpr, *ast.AttrGetExpr:
		return e
	}
	p.fail("syntax error")
	return nil
}

func (p *parser) expressions() []ast.Expr {
	list := []ast.Expr{p.expression()}
	for p.accept(",") {
		list = append(list, p.expression())
	}
	return list
}

// at gives an expression its line.
func (p *parser) at(e ast.Expr, line int) ast.Expr {
	e.SetLine(line)
	e.SetLastLine(line)
	return e
}

func (p *parser) identifier() ast.Expr {
	name := p.name()
	return p.at(&ast.IdentExpr{Value: name}, p.last)
}

// stringKey reads the name after a dot.
func (p *parser) stringKey() ast.Expr {
	name := p.name()
	return p.at(&ast.StringExpr{Value: name}, p.last)
}
