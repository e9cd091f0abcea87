package config

import "fmt"

// A refusal is an error whose text is part of a reply or of what the server
// prints when it cannot start. The texts are Redis's, capital letters and full
// stops included; they stand where their rules are.
type refusal string

func (r refusal) Error() string { return string(r) }

func refusef(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }
