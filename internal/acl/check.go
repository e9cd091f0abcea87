package acl

// Reason says why a request is refused.
type Reason uint8

// Reasons, the weightier ones last: of what several selectors object to, the
// last is reported. DeniedAuth is of the log alone.
const (
	Allowed Reason = iota
	DeniedCommand
	DeniedKey
	DeniedAuth
	DeniedChannel
)

// String returns the word that the log has for a reason.
func (r Reason) String() string {
	return [...]string{"allowed", "command", "key", "auth", "channel"}[r]
}

// Request is a command that somebody wants to run.
type Request struct {
	Command  *Command
	Args     [][]byte // the name first
	Keys     []Key
	Channels []Channel
}

// Key is an argument that names a key.
type Key struct {
	Arg    int
	Access Access
}

// Channel is an argument that names a channel to be used, or a pattern of
// channels.
type Channel struct {
	Arg     int
	Pattern bool
}

// Unrestricted reports whether the user may do everything: nothing needs to be
// known of a request.
func (u *User) Unrestricted() bool { return u.unrestricted }

// LimitsKeys reports whether a decision about this user depends on keys.
func (u *User) LimitsKeys() bool { return u.limitsKeys }

// LimitsChannels reports whether it depends on channels.
func (u *User) LimitsChannels() bool { return u.limitsTopics }

// Check decides whether the user may run a request. When not, arg is the
// argument at fault if the reason is a key or a channel: the furthest that a
// selector came to.
func (u *User) Check(r *Request) (why Reason, arg int) {
	why = DeniedCommand
	for _, s := range u.selectors {
		reason, at := s.check(r)
		if reason == Allowed {
			return Allowed, 0
		}
		if reason > why || reason == why && at > arg {
			why, arg = reason, at
		}
	}
	return why, arg
}

// CheckAllKeys reports whether a selector allows the request and, with it,
// that access to any key. SORT needs it for keys that only its data name.
func (u *User) CheckAllKeys(r *Request, access Access) bool {
	for _, s := range u.selectors {
		if why, _ := s.check(r); why == Allowed && s.touchesAll(access) {
			return true
		}
	}
	return false
}

// MayListen reports whether the user may listen to a channel, or to a pattern
// of channels.
func (u *User) MayListen(channel string, pattern bool) bool {
	for _, s := range u.selectors {
		if s.allChannels || anyMatches(s.channels, []byte(channel), pattern) {
			return true
		}
	}
	return false
}

// losesChannels reports whether something that could be listened to under the
// rules may be so no longer under others.
func (r *rules) losesChannels(after *rules) bool {
	kept := map[string]bool{}
	for _, s := range after.selectors {
		if s.allChannels {
			return false
		}
		for _, pattern := range s.channels {
			kept[pattern] = true
		}
	}
	for _, s := range r.selectors {
		if s.allChannels {
			return true
		}
		for _, pattern := range s.channels {
			if !kept[pattern] {
				return true
			}
		}
	}
	return false
}
