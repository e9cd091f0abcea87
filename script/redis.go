package script

import (
	"crypto/sha1"
	"encoding/hex"
	"math"
	"strings"
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// Replication flags of redis.set_repl. There are no replicas and no
// append-only file that a script could be kept from; they are checked only.
const (
	replicateNone = 0
	replicateAOF  = 1 << (iota - 1)
	replicateReplica
	replicateAll = replicateAOF | replicateReplica
)

// redis makes the table of that name.
func (s *state) redis() *lua.LTable {
	t := s.L.CreateTable(0, 32)
	s.set(t, map[string]lua.LGFunction{
		"call":          func(L *lua.LState) int { return s.command(L, true) },
		"pcall":         func(L *lua.LState) int { return s.command(L, false) },
		"setresp":       s.setResp,
		"sha1hex":       s.sha1hex,
		"error_reply":   s.errorReply,
		"status_reply":  s.statusReply,
		"set_repl":      s.setRepl,
		"acl_check_cmd": s.aclCheck,
	})
	s.addLog(t)
	s.addVersion(t)
	for name, value := range map[string]int{
		"REPL_NONE": replicateNone, "REPL_AOF": replicateAOF, "REPL_SLAVE": replicateReplica,
		"REPL_REPLICA": replicateReplica, "REPL_ALL": replicateAll,
	} {
		t.RawSetString(name, lua.LNumber(value))
	}
	return t
}

func (s *state) addLog(t *lua.LTable) {
	s.set(t, map[string]lua.LGFunction{"log": s.log})
	for name, level := range map[string]int{
		"LOG_DEBUG": LogDebug, "LOG_VERBOSE": LogVerbose, "LOG_NOTICE": LogNotice, "LOG_WARNING": LogWarning,
	} {
		t.RawSetString(name, lua.LNumber(level))
	}
}

func (s *state) addVersion(t *lua.LTable) {
	t.RawSetString("REDIS_VERSION", lua.LString(s.in.version))
	t.RawSetString("REDIS_VERSION_NUM", lua.LNumber(s.in.version.number()))
}

// view is b as a string without a copy, for as long as b is left alone.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// bytesOf is a string's bytes without a copy; they must not be written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// command is redis.call and redis.pcall. An error of the command is raised as
// a table, or returned.
func (s *state) command(L *lua.LState, raise bool) int {
	if s.inv == nil {
		return s.fail(L, "redis.call/pcall can only be called inside a script invocation")
	}
	args, problem := s.arguments(L)
	if problem != "" {
		return s.outcome(L, errorTable(L, "ERR "+problem), raise)
	}
	if s.calling {
		return s.outcome(L, errorTable(L, "ERR luaRedisGenericCommand() recursive call detected. Are you doing funny stuff with Lua debug hooks?"), false)
	}
	debugging := s.session.showsCommands()
	if debugging {
		s.session.commandRun(args)
	}
	s.calling = true
	reply, err := s.inv.Host.Call(args, s.proto)
	s.calling = false
	clear(args)
	if debugging {
		if err != nil {
			s.session.commandRefused(err.Error())
		} else {
			s.session.commandReplied(reply)
		}
	}
	if err != nil {
		return s.outcome(L, counted(errorTable(L, withCode(err.Error()))), raise)
	}
	r := replies{s: s, data: reply}
	return s.outcome(L, r.value(), raise && reply[0] == '-')
}

func (s *state) outcome(L *lua.LState, v lua.LValue, raise bool) int {
	if raise {
		s.throw(L, v)
	}
	L.Push(v)
	return 1
}

// arguments are those of the running function as a command has them: strings
// as they are, numbers with all their digits.
func (s *state) arguments(L *lua.LState) (args [][]byte, problem string) {
	n := L.GetTop()
	if n == 0 {
		return nil, "Please specify at least one argument for this redis lib call"
	}
	// Room enough for every number, so that it does not move.
	if need := n * 32; cap(s.digits) < need {
		s.digits = make([]byte, 0, need)
	}
	s.args, s.digits = s.args[:0], s.digits[:0]
	for i := 1; i <= n; i++ {
		switch v := L.Get(i).(type) {
		case lua.LString:
			s.args = append(s.args, bytesOf(string(v)))
		case lua.LNumber:
			at := len(s.digits)
			s.digits = appendNumber(s.digits, float64(v), exactDigits)
			s.args = append(s.args, s.digits[at:len(s.digits):len(s.digits)])
		default:
			return nil, "Lua redis lib command arguments must be strings or integers"
		}
	}
	return s.args, ""
}

func (s *state) setResp(L *lua.LState) int {
	if s.inv == nil {
		return s.fail(L, "redis.setresp can only be called inside a script invocation")
	}
	if L.GetTop() != 1 {
		return s.fail(L, "redis.setresp() requires one argument.")
	}
	f, _ := number(L.Get(1))
	proto := toInt(f)
	if proto != 2 && proto != 3 {
		return s.fail(L, "RESP version must be 2 or 3.")
	}
	s.proto = proto
	return 0
}

func (s *state) sha1hex(L *lua.LState) int {
	if L.GetTop() != 1 {
		return s.fail(L, "wrong number of arguments")
	}
	said, _ := text(L.Get(1))
	L.Push(lua.LString(SHA1(said)))
	return 1
}

// SHA1 is the name of a script: the SHA1 of its text in lower-case
// hexadecimal.
func SHA1(source string) string {
	sum := sha1.Sum(bytesOf(source))
	return hex.EncodeToString(sum[:])
}

func (s *state) errorReply(L *lua.LState) int {
	said, ok := L.Get(1).(lua.LString)
	if L.GetTop() != 1 || !ok {
		return s.outcome(L, errorTable(L, "ERR wrong number or type of arguments"), false)
	}
	return s.outcome(L, errorTable(L, withCode(strings.TrimPrefix(string(said), "-"))), false)
}

func (s *state) statusReply(L *lua.LState) int {
	said, ok := L.Get(1).(lua.LString)
	if L.GetTop() != 1 || !ok {
		return s.outcome(L, errorTable(L, "ERR wrong number or type of arguments"), false)
	}
	t := L.CreateTable(0, 1)
	t.RawSetString("ok", said)
	return s.outcome(L, t, false)
}

func (s *state) setRepl(L *lua.LState) int {
	if s.inv == nil {
		return s.fail(L, "redis.set_repl can only be called inside a script invocation")
	}
	if L.GetTop() != 1 {
		return s.fail(L, "redis.set_repl() requires two arguments.")
	}
	f, _ := number(L.Get(1))
	if toInt(f)&^replicateAll != 0 {
		return s.fail(L, "Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.")
	}
	return 0
}

func (s *state) aclCheck(L *lua.LState) int {
	if s.inv == nil {
		return s.fail(L, "redis.acl_check_cmd can only be called inside a script invocation")
	}
	args, problem := s.arguments(L)
	if problem != "" {
		return s.fail(L, problem)
	}
	allowed, known := s.inv.Host.Permitted(args)
	if !known {
		return s.fail(L, "Invalid command passed to redis.acl_check_cmd()")
	}
	L.Push(lua.LBool(allowed))
	return 1
}

func (s *state) log(L *lua.LState) int {
	n := L.GetTop()
	if n < 2 {
		return s.fail(L, "redis.log() requires two arguments or more.")
	}
	f, ok := number(L.Get(1))
	if !ok {
		return s.fail(L, "First argument must be a number (log level).")
	}
	level := toInt(f)
	if level < LogDebug || level > LogWarning {
		return s.fail(L, "Invalid debug level.")
	}
	var line []string
	for i := 2; i <= n; i++ {
		if part, ok := text(L.Get(i)); ok {
			line = append(line, part)
		}
	}
	switch line := strings.Join(line, " "); {
	case s.inv != nil:
		s.inv.Host.Log(level, line)
	case s.library != nil:
		s.library.log.Log(level, line)
	}
	return 0
}

// lrand48 is the generator behind math.random: the one of System V in the
// arithmetic of 48 bits, so that a seed gives the same numbers everywhere, and
// the same as in Redis.
type lrand48 struct{ x uint64 }

func newLrand48() lrand48 { return lrand48{0x1234_ABCD_330E} }

func (r *lrand48) seed(n int32) { r.x = uint64(uint32(n))<<16 | 0x330E }

// next returns 31 bits.
func (r *lrand48) next() int32 {
	r.x = (r.x*0x5_DEEC_E66D + 0xB) & (1<<48 - 1)
	return int32(r.x >> 17)
}

func (s *state) mathRandom(L *lua.LState) int {
	if s.inv == nil {
		raise(L, "math.random can only be called inside a script invocation")
	}
	const limit = math.MaxInt32
	r := float64(s.in.random.next()%limit) / limit
	switch L.GetTop() {
	case 0:
		L.Push(lua.LNumber(r))
	case 1:
		high := checkInt(L, 1)
		if high < 1 {
			argError(L, 1, "interval is empty")
		}
		L.Push(lua.LNumber(math.Floor(r*float64(high)) + 1))
	case 2:
		low, high := checkInt(L, 1), checkInt(L, 2)
		if low > high {
			argError(L, 2, "interval is empty")
		}
		L.Push(lua.LNumber(math.Floor(r*float64(int32(high-low+1))) + float64(low)))
	default:
		raise(L, "wrong number of arguments")
	}
	return 1
}

func (s *state) mathRandomSeed(L *lua.LState) int {
	if s.inv == nil {
		raise(L, "math.randomseed can only be called inside a script invocation")
	}
	s.in.random.seed(int32(checkInt(L, 1)))
	return 0
}
