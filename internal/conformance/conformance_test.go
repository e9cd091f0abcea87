package conformance

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const output = `Testing unit/fruit
[ok]: Apples fall (12 ms)
[ok]: ` + "\x1b[0;32m" + `Pears of 12 kinds` + "\x1b[0m" + `
[err]: Plums keep in tests/unit/fruit.tcl
Expected '1' to be equal to '2'
[ok]: Apples fall (3 ms)
[TIMEOUT]: clients state report follows.
`

func TestParse(t *testing.T) {
	r := parse(output)
	require.Equal(t, []string{"Apples fall", "Pears of 12 kinds", "Apples fall"}, r.Passed)
	require.Equal(t, []Failure{{"Plums keep", "Expected '1' to be equal to '2'"}}, r.Failed)
	require.Equal(t, "a reply that never came", r.Stopped)
	require.Equal(t, Result{Stopped: "bad thing why"}, parse("[exception]: bad thing\nwhy\n"))
}

func TestShort(t *testing.T) {
	r := parse(output)
	expected := []string{"Apples fall", "Apples fall", "Apples fall", "Pears of 7 kinds", "Plums keep", "Cherries"}
	require.Equal(t, []Failure{
		{"Apples fall", "not reached"}, // twice is not three times
		{"Plums keep", "Expected '1' to be equal to '2'"},
		{"Cherries", "not reached"},
	}, r.Short(expected))
}

func TestExpected(t *testing.T) {
	path := filepath.Join(t.TempDir(), "expected.tsv")
	list, err := ReadExpected(path)
	require.NoError(t, err)
	require.Empty(t, list)
	list = Expected{"unit/b": {"two", "one"}, "unit/a": {"three\tcolumns"}}
	require.NoError(t, list.Write(path))
	again, err := ReadExpected(path)
	require.NoError(t, err)
	require.Equal(t, list, again)
}

func TestNoSuite(t *testing.T) {
	_, err := Copy(t.TempDir(), "server")
	require.ErrorIs(t, err, ErrNoSuite)
}
