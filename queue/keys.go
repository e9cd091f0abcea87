package queue

// Every key of a room, in one place. The braces are a hash tag: all keys of a
// room hash to one slot of a Cluster, so they live, move and fail over
// together, and their TIME is one clock.
//
//	{room}:seq       string      the last ticket issued
//	{room}:total     string      how many have been admitted, by all instances; only for rates
//	{room}:leader    string      who holds the lease; the key's own expiry is the lease's
//	{room}:news      channel     names of visitors whose standing has changed, separated by spaces
//
// The strategies with a line:
//
//	{room}:waiting   sorted set  visitor -> ticket
//	{room}:active    sorted set  visitor -> expiry, Unix milliseconds by the store's clock;
//	                             a half added (…123.5) marks an entry that is not confirmed yet
//	{room}:claims    sorted set  two-set: visitor -> expiry, those who ask for a seat and those who have one
//	{room}:heard     sorted set  atomic: visitor -> when last heard of, in the room's own time
//	{room}:clock     hash        atomic: "at" and "time", the room's own time; "next", the pace of admissions
//	{room}:settings  hash        atomic: "slot", "paused", "per_minute": what operators have set
//
// The ticket strategy:
//
//	{room}:tickets   sorted set  visitor -> ticket
//	{room}:done      sorted set  departed ticket -> itself; member "base" -> all up to it have departed
//	{room}:stamps    sorted set  ticket that is inside -> expiry
type keys struct {
	seq, total, leader, news                        string
	waiting, active, claims, heard, clock, settings string
	tickets, done, stamps                           string
}

func newKeys(room string) keys {
	tag := "{" + room + "}:"
	return keys{
		seq:      tag + "seq",
		total:    tag + "total",
		leader:   tag + "leader",
		news:     tag + "news",
		waiting:  tag + "waiting",
		active:   tag + "active",
		claims:   tag + "claims",
		heard:    tag + "heard",
		clock:    tag + "clock",
		settings: tag + "settings",
		tickets:  tag + "tickets",
		done:     tag + "done",
		stamps:   tag + "stamps",
	}
}
