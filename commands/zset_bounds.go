package commands

import (
	"bytes"
	"errors"
	"math"
	"strconv"

	"myredis/sortedset"
)

// The notation of ranges: "5", "(5" and "-inf" for scores, "[m", "(m", "-" and
// "+" for members.

const (
	errNotScoreRange Error = "ERR min or max is not a float"
	errNotLexRange   Error = "ERR min or max not valid string range item"
)

func parseScoreRange(min, max []byte) (r sortedset.ScoreRange, err error) {
	var okMin, okMax bool
	r.Min, r.MinExclusive, okMin = parseScoreBound(min)
	r.Max, r.MaxExclusive, okMax = parseScoreBound(max)
	if !okMin || !okMax {
		return r, errNotScoreRange
	}
	return r, nil
}

// parseScoreBound reads one end of a range of scores. Redis hands it to C's
// strtod and asks no more than whether the text ends where the number does,
// which is more lenient than parseFloat: blanks may come before, a zero byte
// ends the text, what is too large is infinite, and nothing at all is 0.
func parseScoreBound(b []byte) (score float64, exclusive, ok bool) {
	b, exclusive = bytes.CutPrefix(b, []byte("("))
	b, _, _ = bytes.Cut(b, []byte{0})
	if len(b) == 0 {
		return 0, exclusive, true
	}
	text := view(bytes.TrimLeft(b, " \t\n\v\f\r"))
	score, err := strconv.ParseFloat(text, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		// C takes a hexadecimal number without an exponent, Go does not.
		score, err = strconv.ParseFloat(text+"p0", 64)
	}
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange), math.IsNaN(score), bytes.IndexByte(b, '_') >= 0:
		return 0, false, false
	}
	return score, exclusive, true
}

func parseLexRange(min, max []byte) (r sortedset.LexRange, err error) {
	var okMin, okMax bool
	r.Min, okMin = parseLexBound(min)
	r.Max, okMax = parseLexBound(max)
	if !okMin || !okMax {
		return r, errNotLexRange
	}
	return r, nil
}

// parseLexBound reads one end of a range of members, which the bound then is a
// view of. To Redis a zero byte ends a "+" or "-".
func parseLexBound(b []byte) (bound sortedset.LexBound, ok bool) {
	if len(b) == 0 {
		return bound, false
	}
	infinite := len(b) == 1 || b[1] == 0
	switch rest := view(b[1:]); b[0] {
	case '[':
		return sortedset.LexBound{Member: rest}, true
	case '(':
		return sortedset.LexBound{Member: rest, Exclusive: true}, true
	case '-':
		return sortedset.LexBound{Infinity: -1}, infinite
	case '+':
		return sortedset.LexBound{Infinity: 1}, infinite
	}
	return bound, false
}
