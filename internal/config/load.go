package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"myredis/internal/words"
)

// Loading at start.
//
// A configuration is a text of lines. The command line is such a text too, put
// behind the file's: "--port 1" is the line `port "1"`, and where a line is
// wrong the error shows it that way, as Redis does. What comes last wins.

// redisVersion is the version whose rules these are. It is part of the text
// that announces a wrong configuration.
const redisVersion = "7.0.15"

// maxIncludes is how deep include directives may nest. Redis has no limit, and
// a file that includes itself ends it with a stack overflow.
const maxIncludes = 64

// A LineError is a configuration that cannot be used. Its text is the block
// that redis-server prints, without the last end of line.
type LineError struct {
	Line   int    // counted from 1
	Text   string // the line, without blanks around it
	Reason string
}

func (e *LineError) Error() string {
	return fmt.Sprintf("\n*** FATAL CONFIG FILE ERROR (Redis %s) ***\nReading the configuration file, at line %d\n>>> '%s'\n%s",
		redisVersion, e.Line, e.Text, e.Reason)
}

// A Directive is what is done with lines that set no parameter and concern
// somebody else: rename-command, user, loadmodule.
type Directive struct {
	// Apply takes the arguments of a line, the directive itself left out. The
	// text of an error ends the block of [LineError].
	Apply func(args []string) error
	// Lines returns the lines that CONFIG REWRITE writes in the place of all
	// there are, each with the directive's name. When nil, the lines of the
	// file stay as they are.
	Lines func() []string
}

// OnDirective registers what is done with the lines of a directive; it is
// called before loading. A line that nobody takes is refused: a server that
// passed over "rename-command FLUSHALL x" would be less safe than it looks.
func (c *Config) OnDirective(name string, d Directive) { c.directives[name] = d }

// LoadArgs applies the arguments of a command line, the program's name left
// out, as redis-server takes them: the path of a file first, which may be left
// out; then names with two dashes, each with its values; "-" as the first or
// last argument stands for standard input. Errors are a [*LineError] or that
// of a file that cannot be read.
func (c *Config) LoadArgs(args []string) error {
	if len(args) == 0 {
		return nil
	}
	var text strings.Builder
	options := args
	if !strings.HasPrefix(args[0], "-") {
		path, err := filepath.Abs(args[0])
		if err != nil {
			return cannotOpen(args[0], err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return cannotOpen(path, err)
		}
		c.File = path
		text.Write(content)
		options = args[1:]
	}
	lines, fromStdin := optionLines(options, len(options) == len(args))
	if fromStdin {
		content, err := io.ReadAll(os.Stdin)
		if err != nil {
			return fmt.Errorf("reading the configuration from standard input: %w", err)
		}
		text.Write(content)
	}
	text.WriteString("\n" + lines)
	return c.loadText(text.String())
}

// Load applies the lines of a configuration file.
func (c *Config) Load(r io.Reader) error {
	content, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	return c.loadText(string(content))
}

// optionLines writes command line options as lines of a file. After a name the
// next argument is a value whatever it looks like, so that a password may begin
// with two dashes; only "--save" may be followed by another name, and is empty
// then. A name and its values may also share one argument: "--port 1".
func optionLines(args []string, first bool) (lines string, fromStdin bool) {
	var b strings.Builder
	valued := true // the latest name has a value, or needs none
	for i, arg := range args {
		last := i == len(args)-1
		switch {
		case arg == "-" && (last || first && i == 0):
			fromStdin = true
		case valued && strings.HasPrefix(arg, "--"):
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(arg[2:] + " ")
			parts, _ := words.Split(arg)
			valued = len(parts) != 1
			if strings.EqualFold(arg, "--save") && (last || strings.HasPrefix(args[i+1], "--")) {
				b.WriteString(`""`)
				valued = true
			}
		default:
			b.WriteString(words.Quote(arg) + " ")
			valued = true
		}
	}
	return b.String(), fromStdin
}

func (c *Config) loadText(text string) error {
	c.reading++
	c.saves.adding = true
	defer func() {
		c.reading--
		c.saves.adding = false
	}()
	for i, line := range strings.Split(text, "\n") {
		line = strings.Trim(line, " \t\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		err := c.loadLine(line)
		var inner *LineError
		var unreadable *fileError
		switch {
		case err == nil:
		case errors.As(err, &inner), errors.As(err, &unreadable):
			return err // an included file's, which says itself what is wrong
		default:
			return &LineError{Line: i + 1, Text: line, Reason: err.Error()}
		}
	}
	return nil
}

// ignored are directives of older versions that Redis 7.0 passes over.
var ignored = []string{"list-max-ziplist-entries", "list-max-ziplist-value", "lua-replicate-commands"}

func (c *Config) loadLine(line string) error {
	parts, ok := words.Split(line)
	if !ok {
		return refusal("Unbalanced quotes in configuration line")
	}
	if len(parts) == 0 {
		return nil
	}
	name, args := strings.ToLower(parts[0]), parts[1:]
	if s, ok := c.lookup(name); ok {
		return s.param.load(args)
	}
	switch d, taken := c.directives[name]; {
	case len(args) == 1 && slices.Contains(ignored, name):
		return nil
	case name == "include" && len(args) == 1:
		return c.include(args[0])
	case taken && len(args) >= 1 && (name != "rename-command" || len(args) == 2):
		return d.Apply(args)
	case name == "rename-command" && len(args) == 2:
		return refusal("rename-command is not available")
	case (name == "user" || name == "loadmodule") && len(args) >= 1:
		return refusal(name + " is not available")
	case strings.Contains(name, "."):
		if len(args) == 0 {
			return refusal("Module config specified without value")
		}
		return refusal("Module Configuration detected without loadmodule directive or no ApplyConfig call: aborting")
	case name == "sentinel":
		return refusal("sentinel directive while not in sentinel mode")
	}
	return refusal("Bad directive or wrong number of arguments")
}

// load sets the parameter from the words of a line.
func (p *param) load(args []string) error {
	switch {
	case p.flags&multi == 0:
		if len(args) != 1 {
			return errArguments
		}
	case len(args) == 1 && args[0] != "":
		args, _ = words.Split(args[0]) // --bind "127.0.0.1 ::1"
	}
	return p.value.set(args)
}

// include loads a file, or those that a pattern finds: none is no error then.
func (c *Config) include(name string) error {
	if c.reading > maxIncludes {
		return refusef("include directives nest deeper than %d files", maxIncludes)
	}
	path := c.Path(name)
	paths := []string{path}
	if strings.ContainsAny(name, "*?[") {
		paths = expand(path)
	}
	var text strings.Builder
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return cannotOpen(path, err)
		}
		text.Write(content)
	}
	return c.loadText(text.String())
}

// expand lists the files that a shell's pattern finds, in order. As in a shell
// a dot at the beginning of a name has to be there in the pattern.
func expand(pattern string) []string {
	pattern = filepath.Clean(pattern)
	// The only wrong pattern is one left open, and it finds nothing.
	paths, _ := filepath.Glob(strings.ReplaceAll(pattern, "[!", "[^"))
	want := strings.Split(filepath.ToSlash(pattern), "/")
	return slices.DeleteFunc(paths, func(path string) bool {
		for i, name := range strings.Split(filepath.ToSlash(path), "/") {
			if strings.HasPrefix(name, ".") && !strings.HasPrefix(want[i], ".") {
				return true
			}
		}
		return false
	})
}

// A fileError is a file that cannot be read.
type fileError struct {
	path string
	err  error
}

func cannotOpen(path string, err error) error { return &fileError{path, err} }

func (e *fileError) Error() string {
	return fmt.Sprintf("Fatal error, can't open config file '%s': %s", e.path, reason(e.err))
}

func (e *fileError) Unwrap() error { return e.err }

// reason is what the operating system says of an error, as C's strerror words
// it: without operation and path, and with a capital letter.
func reason(err error) string {
	var pathErr *fs.PathError
	var errno syscall.Errno
	text := err.Error()
	if errors.As(err, &errno) {
		text = errno.Error()
	} else if errors.As(err, &pathErr) {
		text = pathErr.Err.Error()
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
