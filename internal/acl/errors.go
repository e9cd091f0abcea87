package acl

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// Error says what is wrong as Redis words it, without the code of an error
// reply.
type Error string

func (e Error) Error() string { return string(e) }

func errorf(format string, args ...any) error { return Error(fmt.Sprintf(format, args...)) }

// What can be wrong with a rule.
const (
	errUnknown       Error = "Unknown command or category name in ACL"
	errSyntax        Error = "Syntax error"
	errKeysOpen      Error = "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any effect. Try 'resetkeys' to start with an empty list of patterns"
	errChannelsOpen  Error = "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not have any effect. Try 'resetchannels' to start with an empty list of channels"
	errNoPassword    Error = "The password you are trying to remove from the user does not exist"
	errBadHash       Error = "The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters"
	errDuplicate     Error = "Duplicate user found. A user can only be defined once in config files"
	errSubcommandArg Error = "Allowing first-arg of a subcommand is not supported"
)

// ErrName is returned for a name with blanks or zero bytes.
const ErrName Error = "Usernames can't contain spaces or null characters"

// cause is what the operating system says, as C's strerror words it.
func cause(err error) string {
	text := err.Error()
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		text = errno.Error()
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// cString is what C prints of s: nothing from a zero byte on.
func cString(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return s
}
