package acl

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"strings"

	"myredis/internal/words"
)

// User is who a connection acts as.
type User struct {
	Name string
	rules
}

// rules are all that rules can change of a user. They are replaced together,
// so that connections keep their *User when the user changes.
type rules struct {
	enabled   bool
	noPass    bool     // any password will do
	sanitize  sanitize // kept for RESTORE; it has no other meaning here
	passwords []string // SHA-256, in lower-case hexadecimal
	selectors []*selector

	// Derived by settle.
	unrestricted bool
	limitsKeys   bool // some selector does not permit every key
	limitsTopics bool // some selector does not permit every channel
}

// sanitize says whether payloads of this user are checked in full; a user that
// was never told prints neither word.
type sanitize uint8

const (
	sanitizeUnsaid sanitize = iota
	sanitizeAlways
	sanitizeSkip
)

// newRules are those of a user who may do nothing, except that channels may be
// open to everybody.
func newRules(allChannels bool) rules {
	return rules{selectors: []*selector{{allChannels: allChannels}}}
}

func (r *rules) root() *selector { return r.selectors[0] }

func (r *rules) clone() rules {
	c := *r
	c.passwords = slices.Clone(r.passwords)
	c.selectors = make([]*selector, len(r.selectors))
	for i, s := range r.selectors {
		c.selectors[i] = s.clone()
	}
	return c
}

// settle derives what saves work on every request.
func (r *rules) settle() {
	r.unrestricted, r.limitsKeys, r.limitsTopics = false, false, false
	for _, s := range r.selectors {
		r.unrestricted = r.unrestricted || s.allCommands && s.allKeys && s.allChannels
		r.limitsKeys = r.limitsKeys || !s.allKeys
		r.limitsTopics = r.limitsTopics || !s.allChannels
	}
}

// apply changes the user by one rule.
func (r *rules) apply(s *Users, rule string) error {
	switch lower(rule) {
	case "":
	case "on":
		r.enabled = true
	case "off":
		r.enabled = false
	case "skip-sanitize-payload":
		r.sanitize = sanitizeSkip
	case "sanitize-payload":
		r.sanitize = sanitizeAlways
	case "nopass":
		r.noPass, r.passwords = true, nil
	case "resetpass":
		r.noPass, r.passwords = false, nil
	case "clearselectors":
		r.selectors = r.selectors[:1]
	case "reset":
		*r = newRules(s.AllChannels)
		r.sanitize = sanitizeAlways
	default:
		return r.applyPrefixed(s, rule)
	}
	return nil
}

func (r *rules) applyPrefixed(s *Users, rule string) error {
	switch rest := rule[1:]; rule[0] {
	case '>':
		r.addPassword(hash(rest))
	case '#':
		if !isHash(rest) {
			return errBadHash
		}
		r.addPassword(strings.Clone(rest))
	case '<':
		return r.removePassword(hash(rest))
	case '!':
		if !isHash(rest) {
			return errBadHash
		}
		return r.removePassword(rest)
	case '(':
		if strings.HasSuffix(rest, ")") {
			return r.addSelector(s, rest[:len(rest)-1])
		}
		fallthrough
	default:
		return r.root().apply(s.catalogue, rule)
	}
	return nil
}

func (r *rules) addPassword(hashed string) {
	if !slices.Contains(r.passwords, hashed) {
		r.passwords = append(r.passwords, hashed)
	}
	r.noPass = false
}

func (r *rules) removePassword(hashed string) error {
	i := slices.Index(r.passwords, hashed)
	if i < 0 {
		return errNoPassword
	}
	r.passwords = slices.Delete(r.passwords, i, i+1)
	return nil
}

func (r *rules) addSelector(s *Users, text string) error {
	sel := &selector{allChannels: s.AllChannels}
	// Redis: where quotes are not closed, the selector has no rules at all.
	parts, _ := words.Split(text)
	for _, rule := range parts {
		if err := sel.apply(s.catalogue, rule); err != nil {
			return err
		}
	}
	r.selectors = append(r.selectors, sel)
	return nil
}

// hash is what is kept of a password.
func hash(password string) string {
	sum := sha256.Sum256([]byte(password))
	return hex.EncodeToString(sum[:])
}

func isHash(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}

// accepts reports whether one can become the user with the password. The time
// that it takes does not tell how much of a password was right.
func (r *rules) accepts(password []byte) bool {
	if !r.enabled || r.noPass {
		return r.enabled
	}
	hashed := []byte(hash(string(password)))
	for _, p := range r.passwords {
		if subtle.ConstantTimeCompare(hashed, []byte(p)) == 1 {
			return true
		}
	}
	return false
}

// Open reports whether one becomes the user with any password.
func (u *User) Open() bool { return u.enabled && u.noPass }

// Enabled reports whether one can become the user at all.
func (u *User) Enabled() bool { return u.enabled }

// NoPass reports whether the user has no password, be it enabled or not.
func (u *User) NoPass() bool { return u.noPass }

// Flags returns the words for what the user is, in the order in which rules
// print them.
func (u *User) Flags() []string {
	flags := make([]string, 1, 3)
	if flags[0] = "off"; u.enabled {
		flags[0] = "on"
	}
	if u.noPass {
		flags = append(flags, "nopass")
	}
	switch u.sanitize {
	case sanitizeSkip:
		flags = append(flags, "skip-sanitize-payload")
	case sanitizeAlways:
		flags = append(flags, "sanitize-payload")
	}
	return flags
}

// Passwords returns the hashes of the passwords.
func (u *User) Passwords() []string { return u.passwords }

// Description is what a selector permits, in rules.
type Description struct{ Commands, Keys, Channels string }

// Describe returns what the user is permitted: the root selector first.
func (s *Users) Describe(u *User) []Description {
	all := make([]Description, len(u.selectors))
	for i, sel := range u.selectors {
		all[i] = Description{sel.commandRules(s.catalogue), sel.keyRules(), sel.channelRules()}
	}
	return all
}

// Rules returns rules that make the same user out of a new one, where channels
// are not open to everybody.
func (s *Users) Rules(u *User) string {
	parts := u.Flags()
	for _, p := range u.passwords {
		parts = append(parts, "#"+p)
	}
	for i, sel := range u.selectors {
		text := sel.describe(s.catalogue)
		if i > 0 {
			text = "(" + text + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}
