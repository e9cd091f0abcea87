package transcript

import (
	"errors"
	"fmt"
	"strings"
)

// stage prepares the server for scenarios and tidies up after them, over a
// connection of its own that no scenario sees in its replies.
type stage struct {
	dial    Dial
	control *client
}

func (s *stage) do(args ...string) (Value, error) {
	var err error
	for range 2 {
		if s.control == nil {
			if s.control, err = dialClient(s.dial); err != nil {
				return Value{}, err
			}
		}
		var v Value
		if v, err = s.control.do(args...); err == nil {
			if v.Kind == Error {
				return v, errors.New(v.Text)
			}
			return v, nil
		}
		// A scenario may have killed every client: connect once more.
		s.close()
	}
	return Value{}, fmt.Errorf("%s: %w", args[0], err)
}

func (s *stage) close() {
	if s.control != nil {
		s.control.conn.Close()
		s.control = nil
	}
}

// unmet is the first requirement that the server does not meet, "" when it
// meets all.
func (s *stage) unmet(sc *Scenario) (string, error) {
	for _, r := range sc.Requires {
		met := false
		if r.Info != nil {
			v, err := s.do("INFO")
			if err != nil {
				return "", err
			}
			met = r.Info.MatchString(v.text())
		} else {
			v, err := s.do("COMMAND", "INFO", r.Command)
			if err != nil {
				return "", err
			}
			met = len(v.Items) == 1 && len(v.Items[0].Items) > 0
		}
		if !met {
			return r.text, nil
		}
	}
	return "", nil
}

// set empties the server and remembers the parameters that the scenario will
// change. The function that it returns puts them back.
func (s *stage) set(sc *Scenario) (restore func() error, err error) {
	for _, args := range [][]string{{"FLUSHALL"}, {"CONFIG", "RESETSTAT"}} {
		if _, err := s.do(args...); err != nil {
			return nil, err
		}
	}
	saved := map[string]string{}
	for _, name := range sc.parameters() {
		current, err := s.parameter(name)
		if err != nil {
			return nil, err
		}
		if current != nil {
			saved[name] = *current
		}
	}
	return func() error { return s.restore(saved) }, nil
}

func (s *stage) restore(saved map[string]string) error {
	for name, value := range saved {
		current, err := s.parameter(name)
		if err != nil {
			return err
		}
		if current == nil || *current == value {
			continue
		}
		if _, err := s.do("CONFIG", "SET", name, value); err != nil {
			return fmt.Errorf("putting back %s: %w", name, err)
		}
	}
	return nil
}

// parameter is a parameter's value, nil when there is none of that name.
func (s *stage) parameter(name string) (*string, error) {
	v, err := s.do("CONFIG", "GET", name)
	if err != nil || len(v.Items) != 2 {
		return nil, err
	}
	return &v.Items[1].Text, nil
}

// parameters are the names that a scenario gives to CONFIG SET.
func (sc *Scenario) parameters() []string {
	var names []string
	for _, step := range sc.Steps {
		if len(step.Args) < 4 || !strings.EqualFold(step.Args[0], "config") || !strings.EqualFold(step.Args[1], "set") {
			continue
		}
		for i := 2; i < len(step.Args); i += 2 {
			// A glob would ask for other parameters than the one of that name.
			if name := strings.ToLower(step.Args[i]); name != "" && !strings.ContainsAny(name, `*?[\`) {
				names = append(names, name)
			}
		}
	}
	return names
}
