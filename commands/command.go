package commands

import "myredis/internal/acl"

// Command is a row of the table: all that is known about a command before it
// runs. Rows are written beside the functions they name, in the family's file.
type Command struct {
	Name    string // lower case; for a subcommand the part after the container's name
	Arity   int    // number of arguments, name included; -n means at least n
	Flags   Flag
	Group   Group
	Keys    []KeySpec
	Run     func(*Call) error
	KeysOf  func(args [][]byte) ([]keyPlace, bool) // finds keys that no KeySpec can
	Sub     []*Command                             // a container's subcommands
	Tips    []string                               // hints for client proxies, as COMMAND INFO reports them
	Since   string                                 // the first Redis version that has it
	Cost    string                                 // time complexity
	Summary string
	Syntax  string // arguments in redis-cli's notation: "key [NX|XX] score member [score member ...]"
	// Categories are those that do not follow from the flags; zero stands for
	// the category of the group.
	Categories Category

	channels          channelUse
	acl               *acl.Command // what users' rules know of it
	parent            *Command
	full              string // "zadd", "client|kill"
	first, last, step int    // the range that holds the keys, see legacyRange
	stats             CommandStats
}

// CommandStats is a row of INFO commandstats.
type CommandStats struct {
	Calls, Microseconds, Rejected, Failed int64
}

// FullName is the name with its container's: "zadd", "client|kill".
func (c *Command) FullName() string { return c.full }

// Flag is a property of a command, as COMMAND INFO lists them. The meanings
// are those of the Redis documentation of COMMAND.
type Flag uint32

// Command flags, in the order in which COMMAND INFO prints them.
const (
	Write Flag = 1 << iota
	ReadOnly
	DenyOOM
	ModuleCommand
	Admin
	PubSub
	NoScript
	Blocking
	Loading
	Stale
	SkipMonitor
	SkipSlowlog
	Asking
	Fast
	NoAuth
	NoMandatoryKeys
	NoAsyncLoading
	NoMulti
	movableKeys // derived from the key specifications
	AllowBusy
	// MayReplicate commands are not writes but can cause one (PUBLISH, EVAL).
	// COMMAND INFO does not list it.
	MayReplicate
	// Immediate commands run at once inside a transaction, where others are
	// queued. COMMAND INFO does not list it.
	Immediate
	// Protected commands need a setting that permits them (DEBUG, MODULE).
	// It is not listed by COMMAND INFO.
	Protected
)

// flagNames are ordered as Redis 7.0 prints them.
var flagNames = []struct {
	flag Flag
	name string
}{
	{Write, "write"}, {ReadOnly, "readonly"}, {DenyOOM, "denyoom"}, {ModuleCommand, "module"}, {Admin, "admin"},
	{PubSub, "pubsub"}, {NoScript, "noscript"}, {Blocking, "blocking"}, {Loading, "loading"}, {Stale, "stale"},
	{SkipMonitor, "skip_monitor"}, {SkipSlowlog, "skip_slowlog"}, {Asking, "asking"}, {Fast, "fast"},
	{NoAuth, "no_auth"}, {NoMandatoryKeys, "no_mandatory_keys"}, {NoAsyncLoading, "no_async_loading"},
	{NoMulti, "no_multi"}, {movableKeys, "movablekeys"}, {AllowBusy, "allow_busy"},
}

// Group is the family of a command as COMMAND DOCS names it.
type Group string

// Groups of Redis 7.0.
const (
	GroupGeneric      Group = "generic"
	GroupString       Group = "string"
	GroupList         Group = "list"
	GroupSet          Group = "set"
	GroupSortedSet    Group = "sorted-set"
	GroupHash         Group = "hash"
	GroupPubSub       Group = "pubsub"
	GroupTransactions Group = "transactions"
	GroupConnection   Group = "connection"
	GroupServer       Group = "server"
	GroupScripting    Group = "scripting"
	GroupHyperLogLog  Group = "hyperloglog"
	GroupCluster      Group = "cluster"
	GroupSentinel     Group = "sentinel"
	GroupGeo          Group = "geo"
	GroupStream       Group = "stream"
	GroupBitmap       Group = "bitmap"
)

// Category is a set of ACL categories.
type Category uint32

// ACL categories, in the order of ACL CAT.
const (
	CatKeyspace Category = 1 << iota
	CatRead
	CatWrite
	CatSet
	CatSortedSet
	CatList
	CatHash
	CatString
	CatBitmap
	CatHyperLogLog
	CatGeo
	CatStream
	CatPubSub
	CatAdmin
	CatFast
	CatSlow
	CatBlocking
	CatDangerous
	CatConnection
	CatTransaction
	CatScripting
	// CatNone says that a command is in no category of its own.
	CatNone
)

var categoryNames = [...]string{"keyspace", "read", "write", "set", "sortedset", "list", "hash", "string", "bitmap",
	"hyperloglog", "geo", "stream", "pubsub", "admin", "fast", "slow", "blocking", "dangerous", "connection",
	"transaction", "scripting"}

var groupCategory = map[Group]Category{
	GroupString: CatString, GroupList: CatList, GroupSet: CatSet, GroupSortedSet: CatSortedSet, GroupHash: CatHash,
	GroupPubSub: CatPubSub, GroupTransactions: CatTransaction, GroupConnection: CatConnection,
	GroupScripting: CatScripting, GroupHyperLogLog: CatHyperLogLog, GroupGeo: CatGeo, GroupStream: CatStream,
	GroupBitmap: CatBitmap, GroupGeneric: CatKeyspace,
}

// categories returns the explicit categories and those that Redis derives from
// the flags: every command is fast or slow, an admin one is dangerous too.
func (c *Command) categories() Category {
	cat := c.Categories
	if cat == 0 {
		cat = groupCategory[c.Group]
	}
	cat &^= CatNone
	has := func(f Flag) bool { return c.Flags&f != 0 }
	if has(Write) {
		cat |= CatWrite
	}
	// Redis: the scripting commands that may write are not counted as reads.
	if has(ReadOnly) && cat&CatScripting == 0 {
		cat |= CatRead
	}
	if has(Admin) {
		cat |= CatAdmin | CatDangerous
	}
	if has(PubSub) {
		cat |= CatPubSub
	}
	if has(Fast) {
		cat |= CatFast
	} else {
		cat |= CatSlow
	}
	if has(Blocking) {
		cat |= CatBlocking
	}
	return cat
}

// KeySpec says where a command's keys stand among its arguments and what is
// done with them (Redis documentation, "Command key specifications").
type KeySpec struct {
	Flags KeyFlag
	// Index is the argument at which the search begins; when Keyword is set
	// it is the argument where the search for the keyword begins (negative:
	// backwards from the end).
	Index   int
	Keyword string
	// Last, Step and Limit describe a range of keys that starts where the
	// search begins: Last is relative to it, or negative from the end of the
	// arguments; Limit n>1 stops at the n-th part of what is left.
	Last, Step, Limit int
	// With NumAt, the count of keys stands NumAt arguments after the
	// beginning, and the first key FirstAt after it.
	ByCount        bool
	NumAt, FirstAt int
	// Unknown marks keys that cannot be found from the arguments' places.
	Unknown bool
	Notes   string
}

// KeyFlag says what a command does with its keys.
type KeyFlag uint16

// Key flags, named as COMMAND INFO prints them.
const (
	RO KeyFlag = 1 << iota
	RW
	OW
	RM
	Access
	Update
	Insert
	Delete
	NotKey
	Incomplete
	VariableFlags
)

var keyFlagNames = [...]string{"RO", "RW", "OW", "RM", "access", "update", "insert", "delete", "not_key", "incomplete", "variable_flags"}

// The shapes of key specifications that nearly every command has.

// oneKey is a single key at argument 1.
func oneKey(f KeyFlag) []KeySpec { return []KeySpec{{Flags: f, Index: 1, Step: 1}} }

// allKeys is every argument from the first to the last.
func allKeys(f KeyFlag) []KeySpec { return []KeySpec{{Flags: f, Index: 1, Last: -1, Step: 1}} }

// keyAt is a single key at argument i.
func keyAt(i int, f KeyFlag) KeySpec { return KeySpec{Flags: f, Index: i, Step: 1} }

// countedKeys is a number of keys at argument i and the keys after it.
func countedKeys(i int, f KeyFlag) KeySpec {
	return KeySpec{Flags: f, Index: i, ByCount: true, NumAt: 0, FirstAt: 1, Step: 1}
}
