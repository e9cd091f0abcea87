package transcript

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// ErrNotRedis is what Record returns for a server whose INFO does not say
// that it is Redis 7.0: a transcript must never hold our own replies.
var ErrNotRedis = errors.New("transcripts are recorded from Redis 7.0 only")

// Record plays the scenarios of a file against the server that dial connects
// to and writes the replies into the file, in the place of those that stood
// there; nothing else changes. It returns the number of conversations
// recorded. Scenarios whose requirements the server does not meet stay as they
// are. On an error the file is as it was.
func Record(dial Dial, path string) (int, error) {
	file, err := ParseFile(path)
	if err != nil {
		return 0, err
	}
	s := &stage{dial: dial}
	defer s.close()
	if err := s.isRedis(); err != nil {
		return 0, err
	}
	replies := map[int][]string{} // by the line of the step
	for _, sc := range file.Scenarios {
		if err := s.recordScenario(path, sc, replies); err != nil {
			return 0, err
		}
	}
	return len(replies), os.WriteFile(path, []byte(file.with(replies)), 0o644)
}

var foreign = regexp.MustCompile(`(?i)myredis|valkey|keydb|dragonfly`)

func (s *stage) isRedis() error {
	v, err := s.do("INFO")
	if err != nil {
		return err
	}
	if text := v.text(); !strings.Contains(text, "\nredis_version:7.0.") || foreign.MatchString(text) {
		return ErrNotRedis
	}
	return nil
}

func (s *stage) recordScenario(path string, sc *Scenario, replies map[int][]string) error {
	if skip, err := s.unmet(sc); skip != "" || err != nil {
		return err
	}
	restore, err := s.set(sc)
	if err != nil {
		return fmt.Errorf("%s:%d: %w", path, sc.Line, err)
	}
	played := newSession(s.dial, sc, true)
	for _, step := range sc.Steps {
		got, err := played.play(step)
		if err == nil && step.eventually && !slices.Equal(got, step.Want) {
			err = errors.New("never gives the reply that is written; it gives")
		}
		if err != nil {
			return errors.Join(fmt.Errorf("%s:%d: %s: %w\n%s", path, step.Line, step, err, strings.Join(got, "\n")), played.end(), restore())
		}
		replies[step.Line] = got
	}
	if err := errors.Join(played.end(), restore()); err != nil {
		return fmt.Errorf("%s:%d: %w", path, sc.Line, err)
	}
	return nil
}

// with is the file's text with other replies below the steps at these lines.
func (f *File) with(replies map[int][]string) string {
	var lines []string
	drop := 0
	for i, line := range f.lines {
		if drop > 0 {
			drop--
			continue
		}
		lines = append(lines, line)
		if got, ok := replies[i+1]; ok {
			lines = append(lines, got...)
			drop = f.wantedAt(i + 1)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// wantedAt is how many lines of reply stand below the step at a line.
func (f *File) wantedAt(line int) int {
	for _, sc := range f.Scenarios {
		for _, step := range sc.Steps {
			if step.Line == line {
				return len(step.Want)
			}
		}
	}
	return 0
}
