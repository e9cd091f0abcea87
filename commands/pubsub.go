package commands

import (
	"slices"
	"strings"

	"myredis/internal/glob"
	"myredis/wire"
)

const pubsubFlags = PubSub | Loading | Stale

// pubsubCommands are the commands of publish and subscribe.
var pubsubCommands = []*Command{
	{Name: "subscribe", Arity: -2, Flags: pubsubFlags | NoScript, Group: GroupPubSub, Run: subscribe, Since: "2.0.0", Cost: "O(N) with N channels", Summary: "Listens to channels.", Syntax: "channel [channel ...]", channels: allAreChannels},
	{Name: "psubscribe", Arity: -2, Flags: pubsubFlags | NoScript, Group: GroupPubSub, Run: psubscribe, Since: "2.0.0", Cost: "O(N) with N patterns", Summary: "Listens to channels that match patterns.", Syntax: "pattern [pattern ...]", channels: allArePatterns},
	{Name: "ssubscribe", Arity: -2, Flags: pubsubFlags | NoScript, Group: GroupPubSub, Keys: allKeys(NotKey), Run: ssubscribe, Since: "7.0.0", Cost: "O(N) with N channels", Summary: "Listens to shard channels.", Syntax: "shardchannel [shardchannel ...]", channels: allAreChannels},
	{Name: "unsubscribe", Arity: -1, Flags: pubsubFlags | NoScript, Group: GroupPubSub, Run: unsubscribe, Since: "2.0.0", Cost: "O(N) with N channels", Summary: "Listens no longer to channels, or to any.", Syntax: "[channel [channel ...]]"},
	{Name: "punsubscribe", Arity: -1, Flags: pubsubFlags | NoScript, Group: GroupPubSub, Run: punsubscribe, Since: "2.0.0", Cost: "O(N) with N patterns", Summary: "Listens no longer to patterns, or to any.", Syntax: "[pattern [pattern ...]]"},
	{Name: "sunsubscribe", Arity: -1, Flags: pubsubFlags | NoScript, Group: GroupPubSub, Keys: allKeys(NotKey), Run: sunsubscribe, Since: "7.0.0", Cost: "O(N) with N channels", Summary: "Listens no longer to shard channels, or to any.", Syntax: "[shardchannel [shardchannel ...]]"},
	{Name: "publish", Arity: 3, Flags: pubsubFlags | Fast | MayReplicate, Group: GroupPubSub, Run: publish, Since: "2.0.0", Cost: "O(N+M) with N listeners and M patterns", Summary: "Sends a message to a channel.", Syntax: "channel message", channels: firstIsChannel},
	{Name: "spublish", Arity: 3, Flags: pubsubFlags | Fast | MayReplicate, Group: GroupPubSub, Keys: oneKey(NotKey), Run: spublish, Since: "7.0.0", Cost: "O(N) with N listeners", Summary: "Sends a message to a shard channel.", Syntax: "shardchannel message", channels: firstIsChannel},
	{Name: "pubsub", Arity: -2, Group: GroupPubSub, Categories: CatNone, Since: "2.8.0", Summary: "Tells who listens.",
		Sub: []*Command{
			{Name: "channels", Arity: -2, Flags: pubsubFlags, Group: GroupPubSub, Categories: CatNone, Run: pubsubChannels, Since: "2.8.0", Cost: "O(N) with N channels", Summary: "Lists channels that somebody listens to.", Syntax: "[pattern]"},
			{Name: "numsub", Arity: -2, Flags: pubsubFlags, Group: GroupPubSub, Categories: CatNone, Run: pubsubNumsub, Since: "2.8.0", Cost: "O(N) with N channels asked for", Summary: "Answers how many listen to channels.", Syntax: "[channel [channel ...]]"},
			{Name: "numpat", Arity: 2, Flags: pubsubFlags, Group: GroupPubSub, Categories: CatNone, Run: pubsubNumpat, Since: "2.8.0", Cost: "O(1)", Summary: "Answers how many patterns are listened to."},
			{Name: "shardchannels", Arity: -2, Flags: pubsubFlags, Group: GroupPubSub, Categories: CatNone, Run: pubsubShardchannels, Since: "7.0.0", Cost: "O(N) with N channels", Summary: "Lists shard channels that somebody listens to.", Syntax: "[pattern]"},
			{Name: "shardnumsub", Arity: -2, Flags: pubsubFlags, Group: GroupPubSub, Categories: CatNone, Run: pubsubShardnumsub, Since: "7.0.0", Cost: "O(N) with N channels asked for", Summary: "Answers how many listen to shard channels.", Syntax: "[shardchannel [shardchannel ...]]"},
		},
	},
}

// topicKind is one of the three name spaces that can be listened to.
type topicKind int

const (
	channels topicKind = iota
	patterns
	shardChannels
)

// topicWords are the words of the replies, by kind.
var topicWords = [...]struct{ subscribe, unsubscribe, message string }{
	channels:      {"subscribe", "unsubscribe", "message"},
	patterns:      {"psubscribe", "punsubscribe", "pmessage"},
	shardChannels: {"ssubscribe", "sunsubscribe", "smessage"},
}

// topics is who listens to what: listeners in order of subscription, names
// with none are not in it.
type topics map[string][]*Client

// subscriptions is what a client listens to, by kind, in order.
type subscriptions [3][]string

// subscribed returns how many channels and patterns the client listens to;
// shard channels are counted apart.
func (c *Client) subscribed(kind topicKind) int {
	if kind == shardChannels {
		return len(c.subs[shardChannels])
	}
	return len(c.subs[channels]) + len(c.subs[patterns])
}

// listens reports whether the client listens to anything, which limits what it
// may ask in RESP2.
func (c *Client) listens() bool { return c.subscribed(channels)+c.subscribed(shardChannels) > 0 }

// mayListen reports whether the command may be run in RESP2 by a client that
// listens: its replies must not be mistaken for messages.
func (c *Command) mayListen() bool {
	switch c.full {
	case "ping", "subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe", "quit", "reset":
		return true
	}
	return false
}

func subscribe(c *Call) error    { return c.subscribe(channels) }
func psubscribe(c *Call) error   { return c.subscribe(patterns) }
func ssubscribe(c *Call) error   { return c.subscribe(shardChannels) }
func unsubscribe(c *Call) error  { return c.unsubscribe(channels) }
func punsubscribe(c *Call) error { return c.unsubscribe(patterns) }
func sunsubscribe(c *Call) error { return c.unsubscribe(shardChannels) }

func (c *Call) subscribe(kind topicKind) error {
	client := c.Client
	client.pushed = true
	for _, arg := range c.Args[1:] {
		if name := string(arg); !slices.Contains(client.subs[kind], name) {
			client.subs[kind] = append(client.subs[kind], name)
			c.Engine.topics[kind][name] = append(c.Engine.topics[kind][name], client)
		}
		message(c.Encoder, 3, topicWords[kind].subscribe)
		c.Bulk(arg)
		c.Int(int64(client.subscribed(kind)))
	}
	return nil
}

func (c *Call) unsubscribe(kind topicKind) error {
	client, word := c.Client, topicWords[kind].unsubscribe
	client.pushed = true
	var names []string
	for _, arg := range c.Args[1:] {
		names = append(names, string(arg))
	}
	if len(c.Args) == 1 {
		names = slices.Clone(client.subs[kind])
		if len(names) == 0 {
			message(c.Encoder, 3, word)
			c.Null()
			c.Int(int64(client.subscribed(kind)))
		}
	}
	for _, name := range names {
		c.Engine.forget(client, kind, name)
		message(c.Encoder, 3, word)
		c.BulkString(name)
		c.Int(int64(client.subscribed(kind)))
	}
	return nil
}

// forget ends one subscription.
func (e *Engine) forget(c *Client, kind topicKind, name string) {
	c.subs[kind] = slices.DeleteFunc(c.subs[kind], func(n string) bool { return n == name })
	listeners := slices.DeleteFunc(e.topics[kind][name], func(l *Client) bool { return l == c })
	if len(listeners) == 0 {
		delete(e.topics[kind], name)
	} else {
		e.topics[kind][name] = listeners
	}
}

// forgetAll ends all subscriptions without a word.
func (e *Engine) forgetAll(c *Client) {
	for kind := range c.subs {
		for _, name := range slices.Clone(c.subs[kind]) {
			e.forget(c, topicKind(kind), name)
		}
	}
}

// message begins a message of n parts: a push in RESP3, an array before it.
func message(out *wire.Encoder, n int, kind string) {
	if out.Proto == 2 {
		out.Array(n)
	} else {
		out.Push(n)
	}
	out.BulkString(kind)
}

func publish(c *Call) error {
	c.Int(int64(c.Engine.publish(channels, view(c.Args[1]), c.Args[2])))
	return nil
}

func spublish(c *Call) error {
	c.Int(int64(c.Engine.publish(shardChannels, view(c.Args[1]), c.Args[2])))
	return nil
}

// publish sends a message to those who listen to the channel, by its name or
// by a pattern, and returns how many it was sent to.
func (e *Engine) publish(kind topicKind, channel string, payload []byte) (receivers int) {
	for _, c := range e.topics[kind][channel] {
		message(&c.Out, 3, topicWords[kind].message)
		c.Out.BulkString(channel)
		c.Out.Bulk(payload)
		e.wrote(c)
		receivers++
	}
	if kind != channels {
		return receivers
	}
	for pattern, listeners := range e.topics[patterns] {
		if !glob.Match(pattern, channel, false) {
			continue
		}
		for _, c := range listeners {
			message(&c.Out, 4, topicWords[patterns].message)
			c.Out.BulkString(pattern)
			c.Out.BulkString(channel)
			c.Out.Bulk(payload)
			e.wrote(c)
			receivers++
		}
	}
	return receivers
}

func pubsubChannels(c *Call) error      { return c.listTopics(channels) }
func pubsubShardchannels(c *Call) error { return c.listTopics(shardChannels) }
func pubsubNumsub(c *Call) error        { return c.countListeners(channels) }
func pubsubShardnumsub(c *Call) error   { return c.countListeners(shardChannels) }

func (c *Call) listTopics(kind topicKind) error {
	if len(c.Args) > 3 {
		return c.wrongSubcommand()
	}
	var names []string
	for name := range c.Engine.topics[kind] {
		if len(c.Args) == 2 || glob.Match(view(c.Args[2]), name, false) {
			names = append(names, name)
		}
	}
	c.Array(len(names))
	for _, name := range names {
		c.BulkString(name)
	}
	return nil
}

func (c *Call) countListeners(kind topicKind) error {
	c.Array(2 * (len(c.Args) - 2))
	for _, name := range c.Args[2:] {
		c.Bulk(name)
		c.Int(int64(len(c.Engine.topics[kind][view(name)])))
	}
	return nil
}

func pubsubNumpat(c *Call) error {
	c.Int(int64(len(c.Engine.topics[patterns])))
	return nil
}

// wrongSubcommand is the error for a subcommand with arguments that it does
// not take, where the row's arity cannot tell.
func (c *Call) wrongSubcommand() error {
	return errorf("ERR unknown subcommand or wrong number of arguments for '%.128s'. Try %s HELP.", c.Args[1], strings.ToUpper(c.Cmd.parent.Name))
}
