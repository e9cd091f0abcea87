package config

import (
	"math"
	"strconv"
	"strings"
)

// The spellings of numbers that Redis accepts, each with its own oddities,
// which configurations in use may depend on.

// memoryUnits are the multipliers of a memory value: k is 1000, kb is 1024.
var memoryUnits = map[string]uint64{
	"": 1, "b": 1,
	"k": 1000, "kb": 1 << 10,
	"m": 1000 * 1000, "mb": 1 << 20,
	"g": 1000 * 1000 * 1000, "gb": 1 << 30,
}

// ParseMemory reads a number of bytes: digits and a unit. As in Redis no digits are zero, more than
// 64 bits of digits are the largest number, and the product wraps around.
func ParseMemory(s string) (uint64, bool) {
	digits := strings.TrimRight(s, "bkmgBKMG")
	unit, ok := memoryUnits[strings.ToLower(s[len(digits):])]
	if !ok || len(digits) >= 128 || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	if digits == "" {
		return 0, true
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		n = math.MaxUint64
	}
	return n * unit, true
}

// formatMemory writes bytes with the largest unit that leaves a whole number.
func formatMemory(n uint64) string {
	for _, u := range []struct {
		name string
		size uint64
	}{{"gb", 1 << 30}, {"mb", 1 << 20}, {"kb", 1 << 10}} {
		if n != 0 && n%u.size == 0 {
			return strconv.FormatUint(n/u.size, 10) + u.name
		}
	}
	return strconv.FormatUint(n, 10)
}

// parseInteger reads a decimal number as Redis prints one: no plus sign, no
// leading zeros, no spaces.
func parseInteger(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == s
}

// parseOctal reads a number in base 8 as C's strtoll does, which is what Redis
// uses: blanks and a sign may precede it, and no digits are zero.
func parseOctal(s string) (int64, bool) {
	if s == "" {
		return 0, true
	}
	n, err := strconv.ParseInt(strings.TrimLeft(s, blanks), 8, 64)
	return n, err == nil
}

// parsePrefix reads the decimal number that s begins with, as C's strtoll does,
// and returns what follows it: s itself when there is none.
func parsePrefix(s string) (n int64, rest string) {
	number := strings.TrimLeft(s, blanks)
	end := 0
	if end < len(number) && (number[end] == '-' || number[end] == '+') {
		end++
	}
	first := end
	for end < len(number) && '0' <= number[end] && number[end] <= '9' {
		end++
	}
	if end == first {
		return 0, s
	}
	n, _ = strconv.ParseInt(number[:end], 10, 64) // saturates when out of range
	return n, number[end:]
}

// blanks are what C's isspace says yes to.
const blanks = " \t\n\v\f\r"
