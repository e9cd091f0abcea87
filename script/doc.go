// Package script runs Lua scripts and functions as Redis runs them.
//
// It owns the interpreter: Lua states that are prepared once, the sandbox they
// are, the libraries that scripts find in them (redis, cjson, cmsgpack, struct,
// bit and Lua's own), the reading of programs, the wording of errors, and the
// conversions between Lua values and replies. It does not know commands,
// clients or keys: a script calls commands through its [Host].
//
// github.com/yuin/gopher-lua is the machine that executes. It is a Lua 5.1,
// but many of its answers are Go's and not Lua's: it prints numbers as Go
// does, reads "010" as 8, knows goto, words errors in its own way, compares,
// sorts and formats otherwise. Since scripts are written against Redis, all
// that a script can tell apart is done here: programs are parsed here (parse.go)
// into the machine's syntax tree, the library functions are ours, and errors
// that the machine raises are put into Lua's words (fault.go).
//
// Caveats. The order of pairs is that of insertion, where Lua has none. A table
// keeps numbers up to [lua.MaxArrayIndex] in an array without gaps. Strings that
// the library makes are at most 512 MB. The operator # asks a table's __len, as
// it does in later Luas, and negative zero loses its sign in arithmetic.
package script
