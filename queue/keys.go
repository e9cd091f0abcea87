package queue

// Every key of a room, in one place. The braces are a hash tag: all keys of a
// room hash to one slot of a Cluster, so they live, move and fail over
// together, and their TIME is one clock.
//
//	{room}:seq      string      the last ticket issued
//	{room}:waiting  sorted set  visitor -> ticket
//	{room}:active   sorted set  visitor -> expiry, Unix milliseconds by the store's clock;
//	                            a half added (…123.5) marks an entry that is not confirmed yet
//	{room}:leader   string      who holds the lease; the key's own expiry is the lease's
//	{room}:total    string      how many have been admitted, by all instances; only for rates
type keys struct {
	seq, waiting, active, leader, total string
}

func newKeys(room string) keys {
	tag := "{" + room + "}:"
	return keys{
		seq:     tag + "seq",
		waiting: tag + "waiting",
		active:  tag + "active",
		leader:  tag + "leader",
		total:   tag + "total",
	}
}
