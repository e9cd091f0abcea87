package acl

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// CheckDeclaration says what is wrong with a declaration of a user, "" for
// nothing, and which word is at fault. A command that is not known is not
// wrong yet: see [Users.Declare].
func (s *Users) CheckDeclaration(name string, list []string, earlier [][]string) (word string, err error) {
	if slices.ContainsFunc(earlier, func(d []string) bool { return d[0] == name }) {
		return name, errDuplicate
	}
	merged, open := mergeSelectors(list)
	if open != "" {
		return open, Error("Wrong format")
	}
	r := newRules(s.AllChannels)
	for _, rule := range merged {
		if err := r.apply(s, rule); err != nil && err != errUnknown {
			return rule, err
		}
	}
	return "", nil
}

// Declare makes a user as a configuration says: the default user is made anew.
func (s *Users) Declare(name string, list []string) (*User, error) {
	if !plain(name) {
		return nil, Error("Spaces not allowed in ACL usernames")
	}
	r := newRules(s.AllChannels)
	if name == DefaultName {
		r.sanitize = sanitizeAlways
	}
	merged, _ := mergeSelectors(list)
	for _, rule := range merged {
		if err := r.apply(s, rule); err != nil {
			return nil, errorf("Error loading ACL rule '%s' for the user named '%s': %v", rule, name, err)
		}
	}
	r.settle()
	u := s.byName[name]
	if u == nil {
		u = s.add(name)
	}
	u.rules = r
	return u, nil
}

// Load replaces all users by those of a file, or says everything that is wrong
// with it and changes nothing. Shown is how errors name the file. The default
// user, if it is not in the file, may do everything. Users that were there
// before, the default one excepted, are gone, even if the file has users of
// their names.
func (s *Users) Load(path, shown string) (gone []*User, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, errorf("Error loading ACLs, opening file '%s': %s", shown, cause(err))
	}
	fresh := NewUsers(s.catalogue)
	fresh.AllChannels = s.AllChannels
	if problems := fresh.parse(string(text), shown); problems != "" {
		return nil, Error(problems + "WARNING: ACL errors detected, no change to the previously active ACL rules was performed")
	}
	delete(s.byName, DefaultName)
	gone = s.All()
	s.Default.rules = fresh.Default.rules
	fresh.byName[DefaultName] = s.Default
	s.byName = fresh.byName
	return gone, nil
}

// parse adds the users of a text and returns what is wrong with its lines.
func (s *Users) parse(text, shown string) (problems string) {
	var b strings.Builder
	seen := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		if line = strings.Trim(line, " \t\r\n"); line == "" {
			continue
		}
		parts := strings.Split(line, " ")
		switch {
		case parts[0] != "user" || len(parts) < 2:
			fmt.Fprintf(&b, "%s:%d should start with user keyword followed by the username. ", shown, i+1)
		case !plain(parts[1]):
			fmt.Fprintf(&b, "'%s:%d: username '%s' contains invalid characters. ", shown, i+1, parts[1])
		case seen[parts[1]]:
			fmt.Fprintf(&b, "WARNING: Duplicate user '%s' found on line %d. ", parts[1], i+1)
		default:
			seen[parts[1]] = true
			b.WriteString(s.parseRules(parts[1], parts[2:], fmt.Sprintf("%s:%d", shown, i+1)))
		}
	}
	return b.String()
}

// parseRules makes a user. Of what is wrong it returns every unknown command,
// and otherwise what is first: the rest may follow from it.
func (s *Users) parseRules(name string, list []string, where string) (problems string) {
	merged, open := mergeSelectors(list)
	if open != "" {
		return where + ": Unmatched parenthesis in selector definition."
	}
	var b strings.Builder
	r, wrong := newRules(s.AllChannels), false
	for _, rule := range merged {
		rule = strings.Trim(rule, "\t\r\n")
		switch err := r.apply(s, rule); {
		case err == errUnknown:
			fmt.Fprintf(&b, "%s: Error in applying operation '%s': %s. ", where, rule, err)
		case err != nil && !wrong:
			fmt.Fprintf(&b, "%s: %s. ", where, err)
			wrong = true
		}
	}
	r.settle()
	u := s.byName[name]
	if u == nil {
		u = s.add(name)
	}
	u.rules = r
	return b.String()
}

// Save writes all users to a file, which it replaces at once.
func (s *Users) Save(path string) error {
	tmp := fmt.Sprintf("%s.tmp-%d", path, os.Getpid())
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return errorf("Opening temp ACL file for ACL SAVE: %s", cause(err))
	}
	defer os.Remove(tmp) // in vain once it has been renamed
	_, err = f.WriteString(strings.Join(s.Lines(), "\n") + "\n")
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return errorf("Writing ACL file for ACL SAVE: %s", cause(err))
	}
	if err := os.Rename(tmp, path); err != nil {
		return errorf("Renaming ACL file for ACL SAVE: %s", cause(err))
	}
	return nil
}
