// Package acl is access control as Redis 7.0 has it: users with passwords, and
// for each what it may run and which keys and channels it may touch.
//
// A [User] has one or more selectors. Each is a set of commands, of patterns
// of keys and of patterns of channels; a request is allowed when one selector
// allows all of it, so two selectors do not add up. The first selector, the
// root, is what rules outside of parentheses change.
//
// Rules are words ("on", ">secret", "~key:*", "+@read", "-debug"); a user
// prints as rules that make the same user again. A rule is applied to a copy,
// so that a list of rules with a wrong one changes nothing.
//
// Commands are known by a [Catalogue], which says what they are called and
// which categories they belong to; a [Request] says which arguments are keys
// and channels. The package does not know sockets, connections or what a
// command does. Nothing in it locks.
package acl
