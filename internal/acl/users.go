package acl

import (
	"maps"
	"slices"
	"strings"
)

// DefaultName is the name of the user that every connection begins as.
const DefaultName = "default"

// Users are all users there are.
type Users struct {
	// Default is always there, and always the same pointer.
	Default *User
	// AllChannels opens all channels to users and selectors when they are
	// made or reset (acl-pubsub-default).
	AllChannels bool

	catalogue *Catalogue
	byName    map[string]*User
}

// NewUsers returns the default user alone, who may do everything.
func NewUsers(c *Catalogue) *Users {
	s := &Users{catalogue: c, Default: &User{Name: DefaultName, rules: allPermitted()}}
	s.byName = map[string]*User{DefaultName: s.Default}
	return s
}

func allPermitted() rules {
	r := newRules(true)
	r.enabled, r.noPass = true, true
	r.root().allKeys = true
	r.root().setAll(true)
	r.settle()
	return r
}

// Named returns a user, or nil.
func (s *Users) Named(name string) *User { return s.byName[name] }

// All returns the users, sorted by name.
func (s *Users) All() []*User {
	return slices.SortedFunc(maps.Values(s.byName), func(a, b *User) int { return strings.Compare(a.Name, b.Name) })
}

// Lines returns a line "user NAME RULES" for each user, sorted by name.
func (s *Users) Lines() []string {
	var lines []string
	for _, u := range s.All() {
		lines = append(lines, "user "+u.Name+" "+s.Rules(u))
	}
	return lines
}

// Login returns the user of that name if the password is right, or nil.
func (s *Users) Login(name, password []byte) *User {
	if u := s.byName[string(name)]; u != nil && u.accepts(password) {
		return u
	}
	return nil
}

// SetDefaultPassword gives the default user one password, or none for "".
func (s *Users) SetDefaultPassword(password string) {
	r := &s.Default.rules
	r.noPass, r.passwords = password == "", nil
	if password != "" {
		r.addPassword(hash(password))
	}
}

// Set makes a user or changes it by rules, all or none. When revoked is true,
// the user may no longer listen to something: see [User.MayListen].
func (s *Users) Set(name string, list []string) (u *User, revoked bool, err error) {
	if !plain(name) {
		return nil, false, ErrName
	}
	merged, open := mergeSelectors(list)
	if open != "" {
		return nil, false, errorf("Unmatched parenthesis in acl selector starting at '%s'.", cString(open))
	}
	u = s.byName[name]
	staged := newRules(s.AllChannels)
	if u != nil {
		staged = u.clone()
	}
	for _, rule := range merged {
		if err := staged.apply(s, rule); err != nil {
			return nil, false, errorf("Error in ACL SETUSER modifier '%s': %v", cString(rule), err)
		}
	}
	staged.settle()
	if u == nil {
		u = s.add(name)
	} else {
		revoked = u.losesChannels(&staged)
	}
	u.rules = staged
	return u, revoked, nil
}

func (s *Users) add(name string) *User {
	u := &User{Name: strings.Clone(name)}
	s.byName[u.Name] = u
	return u
}

// Delete takes a user out and returns it, or nil when there is none. The
// default user cannot be deleted.
func (s *Users) Delete(name string) *User {
	u := s.byName[name]
	if u == nil || u == s.Default {
		return nil
	}
	delete(s.byName, name)
	return u
}

// mergeSelectors joins the words of a selector that came as several: "(+get",
// "~key)". open is the first word of one that does not end.
func mergeSelectors(list []string) (merged []string, open string) {
	var parts []string
	for _, word := range list {
		switch closes := strings.HasSuffix(word, ")"); {
		case strings.HasPrefix(word, "(") && !closes:
			parts = []string{word}
		case parts == nil:
			merged = append(merged, word)
		default:
			if parts = append(parts, word); closes {
				merged = append(merged, strings.Join(parts, " "))
				parts = nil
			}
		}
	}
	if parts != nil {
		return nil, parts[0]
	}
	return merged, ""
}
