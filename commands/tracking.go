package commands

import (
	"maps"
	"slices"
	"strings"

	"myredis/wire"
)

// Client-side caching (Redis documentation, "Client-side caching in Redis").
//
// A client that tracks is told when a key changes that it may have a copy of.
// In the ordinary mode the server remembers which keys it was answered about,
// and forgets them again with the one message that it sends about each. With
// BCAST nothing is remembered: the client is told of every key that begins
// with one of its prefixes, at the end of the turn in which the key changed.
//
// Messages about changes of a client's own stand behind the reply to the
// command, or the transaction, that made them.
//
// While nobody tracks there is no table, and commands pay for a comparison.

// tracking is what CLIENT TRACKING ON keeps for a client; nil when it is off.
type tracking struct {
	redirect      int64 // the client that gets the messages; 0: this one
	broken        bool  // that client has gone
	bcast, noloop bool
	optin, optout bool
	caching       bool          // CLIENT CACHING was said for the next command
	prefixes      []string      // with bcast, sorted
	own           []invalidated // by the running command of the client itself
}

// invalidated is a key that has changed, or all of them.
type invalidated struct {
	key string
	all bool
}

// tracker is what the engine keeps for those who track.
type tracker struct {
	clients  int                // that track
	holders  map[string][]int64 // who may have a copy of a key: IDs, ascending
	items    int                // IDs in holders
	prefixes map[string]*broadcast
	overruns int // how many times in a row holders was left too large
}

// broadcast is who follows a prefix, and the keys with that prefix that have
// changed in this turn, with the client that each was changed by last.
type broadcast struct {
	clients []*Client
	changed map[string]*Client
}

// track turns tracking on for a client, or changes how it tracks.
func (e *Engine) track(c *Client, how tracking) {
	t := &e.tracker
	if c.tracking == nil {
		t.clients++
	} else {
		how.caching, how.prefixes, how.own = c.tracking.caching, c.tracking.prefixes, c.tracking.own
	}
	if t.holders == nil {
		t.holders, t.prefixes = map[string][]int64{}, map[string]*broadcast{}
	}
	c.tracking = &how
}

// follow adds a prefix to those of a client in the mode BCAST.
func (e *Engine) follow(c *Client, prefix string) {
	i, found := slices.BinarySearch(c.tracking.prefixes, prefix)
	if found {
		return
	}
	c.tracking.prefixes = slices.Insert(c.tracking.prefixes, i, prefix)
	b := e.tracker.prefixes[prefix]
	if b == nil {
		b = &broadcast{changed: map[string]*Client{}}
		e.tracker.prefixes[prefix] = b
	}
	b.clients = append(b.clients, c)
}

// untrack turns tracking off. The client's ID stays in the table until its
// keys change: to look for it would take as long as the table is.
func (e *Engine) untrack(c *Client) {
	if c.tracking == nil {
		return
	}
	t := &e.tracker
	for _, prefix := range c.tracking.prefixes {
		b := t.prefixes[prefix]
		b.clients = slices.DeleteFunc(b.clients, func(o *Client) bool { return o == c })
		if len(b.clients) == 0 {
			delete(t.prefixes, prefix)
		}
	}
	c.tracking = nil
	if t.clients--; t.clients == 0 {
		*t = tracker{}
	}
}

// remember notes that the client which a command that reads is run for may
// have a copy of its keys. What a script reads is not looked at: once it has
// read anything, it is the keys that it was called with.
func (e *Engine) remember(call *Call) {
	c, cmd, args := call.Client, call.Cmd, call.Args
	if cmd.Group == GroupScripting {
		return
	}
	if c.script {
		run := e.scripts.running[len(e.scripts.running)-1]
		c, cmd, args = run.caller, run.cmd, run.args
	}
	how := c.tracking
	if how == nil || how.bcast || how.optin && !how.caching || how.optout && how.caching {
		return
	}
	places, _ := cmd.keyPlaces(args)
	t := &e.tracker
	for _, place := range places {
		key := args[place.arg]
		ids := t.holders[string(key)]
		i, found := slices.BinarySearch(ids, c.ID)
		if !found {
			t.holders[string(key)] = slices.Insert(ids, i, c.ID)
			t.items++
		}
	}
}

// invalidate tells those who track a key that it has changed. by is the client
// that has changed it; nil for time, or want of memory.
func (e *Engine) invalidate(by *Client, key string) {
	for prefix, b := range e.tracker.prefixes {
		if strings.HasPrefix(key, prefix) {
			b.changed[strings.Clone(key)] = by
		}
	}
	e.invalidateHolders(key)
}

// invalidateHolders tells those who may have a copy of a key, and forgets that
// they may.
func (e *Engine) invalidateHolders(key string) {
	t := &e.tracker
	ids, found := t.holders[key]
	if !found {
		return
	}
	t.items -= len(ids)
	delete(t.holders, key)
	for _, id := range ids {
		c := e.byID[id]
		switch {
		case c == nil || c.tracking == nil || c.tracking.bcast:
		case c != e.current:
			e.sendInvalidation(c, func(out *wire.Encoder) { oneKeyArray(out, key) })
		case !c.tracking.noloop:
			c.tracking.own = append(c.tracking.own, invalidated{key: strings.Clone(key)})
		}
	}
}

func oneKeyArray(out *wire.Encoder, key string) {
	out.Array(1)
	out.BulkString(key)
}

// invalidateAll tells everybody who tracks that no copy of any key is good,
// which a null stands for.
func (e *Engine) invalidateAll() {
	if e.tracker.clients == 0 {
		return
	}
	clear(e.tracker.holders)
	e.tracker.items = 0
	e.EachClient(func(c *Client) {
		switch {
		case c.tracking == nil:
		case c == e.current:
			c.tracking.own = append(c.tracking.own, invalidated{all: true})
		default:
			// Redis: the null is of the protocol of the client that tracks,
			// even on its way to another.
			e.sendInvalidation(c, (*wire.Encoder).Null)
		}
	})
}

// sendOwn sends a client what its own command has made invalid.
func (e *Engine) sendOwn(c *Client) {
	own := c.tracking.own
	c.tracking.own = nil
	for _, i := range own {
		if i.all {
			e.sendInvalidation(c, (*wire.Encoder).Null)
		} else {
			e.sendInvalidation(c, func(out *wire.Encoder) { oneKeyArray(out, i.key) })
		}
	}
}

// sendInvalidation sends a message for a client that tracks: to the client
// itself, if it understands pushes, or to the one that it has named, which may
// also get it as a message of publish and subscribe.
func (e *Engine) sendInvalidation(c *Client, keys func(*wire.Encoder)) {
	to, redirected := c, c.tracking.redirect != 0
	if redirected {
		to = e.byID[c.tracking.redirect]
	}
	switch {
	case to == nil:
		c.tracking.broken = true
		if c.Out.Proto < 3 {
			return
		}
		to = c
		c.Out.Push(2)
		c.Out.BulkString("tracking-redir-broken")
		c.Out.Int(c.tracking.redirect)
	case to.Out.Proto >= 3:
		to.Out.Push(2)
		to.Out.BulkString("invalidate")
		keys(&to.Out)
	case redirected && to.listens():
		message(&to.Out, 3, topicWords[channels].message)
		to.Out.BulkString("__redis__:invalidate")
		keys(&to.Out)
	default:
		return
	}
	e.wrote(to)
}

// sendBroadcasts sends what has changed in the turn that is over to those who
// follow prefixes.
func (e *Engine) sendBroadcasts() {
	for _, prefix := range slices.Sorted(maps.Keys(e.tracker.prefixes)) {
		b := e.tracker.prefixes[prefix]
		if len(b.changed) == 0 {
			continue
		}
		keys := slices.Sorted(maps.Keys(b.changed))
		for _, c := range b.clients {
			theirs := keys
			if c.tracking.noloop {
				theirs = slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return b.changed[key] == c })
			}
			if len(theirs) > 0 {
				e.sendInvalidation(c, func(out *wire.Encoder) {
					out.Array(len(theirs))
					for _, key := range theirs {
						out.BulkString(key)
					}
				})
			}
		}
		clear(b.changed)
	}
}

// trackingEffort is how many keys limitTracking lets go of, at most, the first
// time that it finds too many.
const trackingEffort = 100

// limitTracking keeps the table within tracking-table-max-keys: it lets go of
// some keys, as if they had changed, and of more each time that this was not
// enough.
func (e *Engine) limitTracking() {
	t, limit := &e.tracker, int(e.Config.TrackingTableMaxKeys)
	if limit == 0 {
		return
	}
	effort := trackingEffort * (t.overruns + 1)
	for key := range t.holders {
		if len(t.holders) <= limit {
			break
		}
		if effort == 0 {
			t.overruns++
			return
		}
		effort--
		e.invalidateHolders(key)
	}
	t.overruns = 0
}

// afterTracked is called behind each command of a client that tracks, and
// behind the reply to it. What CLIENT CACHING said holds for one command or
// transaction.
func (e *Engine) afterTracked(c *Client, cmd *Command) {
	if len(c.tracking.own) > 0 {
		e.sendOwn(c)
	}
	if c.tracking != nil && !c.tx.open() && (cmd == nil || cmd.parent == nil || cmd.parent.Name != "client") {
		c.tracking.caching = false
	}
}
