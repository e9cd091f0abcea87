package commands

import "strings"

// trackingCommands are the subcommands of CLIENT for client-side caching.
var trackingCommands = []*Command{
	{Name: "tracking", Arity: -3, Flags: clientFlags, Group: GroupConnection, Run: clientTracking, Since: "6.0.0", Cost: "O(N) with N prefixes", Summary: "Has the connection told of changes to keys that it may have copies of.", Syntax: "ON|OFF [REDIRECT client-id] [PREFIX prefix [PREFIX prefix ...]] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]"},
	{Name: "caching", Arity: 3, Flags: clientFlags, Group: GroupConnection, Run: clientCaching, Since: "6.0.0", Cost: "O(1)", Summary: "Says whether the keys of the next command are tracked.", Syntax: "YES|NO"},
	{Name: "getredir", Arity: 2, Flags: clientFlags, Group: GroupConnection, Run: clientGetredir, Since: "6.0.0", Cost: "O(1)", Summary: "Answers the client that is told in the place of this one."},
	{Name: "trackinginfo", Arity: 2, Flags: clientFlags, Group: GroupConnection, Run: clientTrackinginfo, Since: "6.2.0", Cost: "O(1)", Summary: "Describes what the connection tracks."},
}

func clientTracking(c *Call) error {
	how, prefixes, err := c.trackingOptions()
	if err != nil {
		return err
	}
	switch {
	case c.is(2, "ON"):
		if err := c.Client.mayTrack(how, prefixes); err != nil {
			return err
		}
		c.Engine.track(c.Client, how)
		if how.bcast && len(prefixes) == 0 {
			prefixes = []string{""}
		}
		for _, prefix := range prefixes {
			c.Engine.follow(c.Client, prefix)
		}
	case c.is(2, "OFF"):
		c.Engine.untrack(c.Client)
	default:
		return errSyntax
	}
	return c.ok()
}

// trackingOptions parses what stands behind ON or OFF.
func (c *Call) trackingOptions() (how tracking, prefixes []string, err error) {
	for i := 3; i < len(c.Args); i++ {
		more := i+1 < len(c.Args)
		switch {
		case c.is(i, "REDIRECT") && more:
			if how.redirect != 0 {
				return how, nil, Error("ERR A client can only redirect to a single other client")
			}
			i++
			if how.redirect, err = c.int(i); err != nil {
				return how, nil, err
			}
			if c.Engine.byID[how.redirect] == nil {
				return how, nil, Error("ERR The client ID you want redirect to does not exist")
			}
		case c.is(i, "BCAST"):
			how.bcast = true
		case c.is(i, "OPTIN"):
			how.optin = true
		case c.is(i, "OPTOUT"):
			how.optout = true
		case c.is(i, "NOLOOP"):
			how.noloop = true
		case c.is(i, "PREFIX") && more:
			i++
			prefixes = append(prefixes, string(c.Args[i]))
		default:
			return how, nil, errSyntax
		}
	}
	return how, prefixes, nil
}

// mayTrack checks that the options go with each other and with how the client
// tracks already.
func (c *Client) mayTrack(how tracking, prefixes []string) error {
	present := c.tracking
	on := present != nil
	if present == nil {
		present = &tracking{}
	}
	switch {
	case !how.bcast && len(prefixes) > 0:
		return Error("ERR PREFIX option requires BCAST mode to be enabled")
	case on && how.bcast != present.bcast:
		return Error("ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode.")
	case how.bcast && (how.optin || how.optout):
		return Error("ERR OPTIN and OPTOUT are not compatible with BCAST")
	case how.optin && how.optout:
		return Error("ERR You can't specify both OPTIN mode and OPTOUT mode")
	case how.optin && present.optout || how.optout && present.optin:
		return Error("ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode.")
	}
	return disjoint(prefixes, present.prefixes)
}

// disjoint checks that no key begins with two of a client's prefixes. Redis
// answers an error and then OK, too, when the first of the prefixes is not one
// of those that overlap.
func disjoint(prefixes, present []string) error {
	for i, prefix := range prefixes {
		for _, other := range present {
			if overlap(prefix, other) {
				return errorf("ERR Prefix '%s' overlaps with an existing prefix '%s'. Prefixes for a single client must not overlap.", cString([]byte(prefix)), cString([]byte(other)))
			}
		}
		for _, other := range prefixes[i+1:] {
			if overlap(prefix, other) {
				return errorf("ERR Prefix '%s' overlaps with another provided prefix '%s'. Prefixes for a single client must not overlap.", cString([]byte(prefix)), cString([]byte(other)))
			}
		}
	}
	return nil
}

func overlap(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

func clientCaching(c *Call) error {
	how := c.Client.tracking
	switch {
	case how == nil:
		return Error("ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled")
	case c.is(2, "YES") && !how.optin:
		return Error("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.")
	case c.is(2, "NO") && !how.optout:
		return Error("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.")
	case !c.is(2, "YES") && !c.is(2, "NO"):
		return errSyntax
	}
	how.caching = true
	return c.ok()
}

// redirection is where the client's invalidations go: -1 when it does not
// track, 0 to itself.
func (c *Client) redirection() int64 {
	if c.tracking == nil {
		return -1
	}
	return c.tracking.redirect
}

func clientGetredir(c *Call) error {
	c.Int(c.Client.redirection())
	return nil
}

func clientTrackinginfo(c *Call) error {
	how := c.Client.tracking
	words := []string{"off"}
	if how != nil {
		words = how.words()
	} else {
		how = &tracking{}
	}
	c.Map(3)
	c.BulkString("flags")
	c.Set(len(words))
	for _, word := range words {
		c.BulkString(word)
	}
	c.BulkString("redirect")
	c.Int(c.Client.redirection())
	c.BulkString("prefixes")
	c.Array(len(how.prefixes))
	for _, prefix := range how.prefixes {
		c.BulkString(prefix)
	}
	return nil
}

// words are the flags of CLIENT TRACKINGINFO.
func (t *tracking) words() (words []string) {
	for _, w := range []struct {
		on   bool
		word string
	}{
		{true, "on"},
		{t.bcast, "bcast"},
		{t.optin, "optin"},
		{t.optin && t.caching, "caching-yes"},
		{t.optout, "optout"},
		{t.optout && t.caching, "caching-no"},
		{t.noloop, "noloop"},
		{t.broken, "broken_redirect"},
	} {
		if w.on {
			words = append(words, w.word)
		}
	}
	return words
}
