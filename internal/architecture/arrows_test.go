package architecture

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

var quoted = regexp.MustCompile("`([^`]+)`")

// allowed reads the table of ARCHITECTURE.md: what each package may import.
func allowed(t *testing.T) map[string][]string {
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "## Packages and arrows")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	table := map[string][]string{}
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 || !strings.Contains(cells[0], "`") {
			continue
		}
		var imports []string
		for _, m := range quoted.FindAllStringSubmatch(cells[3], -1) {
			imports = append(imports, m[1])
		}
		table[quoted.FindStringSubmatch(cells[0])[1]] = imports
	}
	require.NotEmpty(t, table)
	return table
}

// arrows parses the imports of every package's code, tests left out.
func arrows(t *testing.T) map[string]map[string]string {
	found := map[string]map[string]string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() != ".." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(dir)
		if found[pkg] == nil {
			found[pkg] = map[string]string{}
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range f.Imports {
			name, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				return err
			}
			if inner, ours := strings.CutPrefix(name, "myredis/"); ours {
				found[pkg][inner] = path.Base(file)
			}
		}
		return nil
	})
	require.NoError(t, err)
	return found
}

func TestImportsFollowTheTable(t *testing.T) {
	table := allowed(t)
	found := arrows(t)
	for pkg, imports := range found {
		require.Contains(t, table, pkg, "a package that ARCHITECTURE.md does not name")
		for imported, file := range imports {
			require.Contains(t, table[pkg], imported, "%s imports %s (%s), which ARCHITECTURE.md does not allow", pkg, imported, file)
		}
	}
	for pkg := range table {
		require.Contains(t, found, pkg, "ARCHITECTURE.md names a package that is not there")
	}
}

func TestEveryPackageHasADoc(t *testing.T) {
	for pkg := range arrows(t) {
		if strings.HasPrefix(pkg, "cmd/") || pkg == "commands/docgen" || pkg == "internal/transcript/record" || pkg == "internal/conformance/run" || pkg == "internal/redislog" {
			continue // a single file whose package comment is at its top
		}
		require.FileExists(t, filepath.Join(root, pkg, "doc.go"))
	}
}

// The store's inner packages run in one goroutine at a time by design; a lock
// in them would be a sign that somebody has broken it.
func TestNoMutexBelowTheServer(t *testing.T) {
	for _, pkg := range []string{"internal/dict", "sortedset", "keyspace", "commands"} {
		files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			require.NoError(t, err)
			for _, imp := range f.Imports {
				require.NotEqual(t, `"sync"`, imp.Path.Value, file)
				require.NotEqual(t, `"sync/atomic"`, imp.Path.Value, file)
			}
		}
	}
}
