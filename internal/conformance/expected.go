package conformance

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Expected is, by unit, the tests that the real server passes.
type Expected map[string][]string

// ReadExpected reads a list from a file: a line for each test, the unit and the
// name with a tab between. Without a file the list is empty.
func ReadExpected(path string) (Expected, error) {
	list := Expected{}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		unit, test, found := strings.Cut(lines.Text(), "\t")
		if !found {
			return nil, fmt.Errorf("%s: no tab in %q", path, lines.Text())
		}
		list[unit] = append(list[unit], test)
	}
	return list, lines.Err()
}

// Write writes the list to a file, sorted by unit.
func (list Expected) Write(path string) error {
	units := make([]string, 0, len(list))
	for unit := range list {
		units = append(units, unit)
	}
	slices.Sort(units)
	var b strings.Builder
	for _, unit := range units {
		for _, test := range list[unit] {
			b.WriteString(unit + "\t" + test + "\n")
		}
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}
