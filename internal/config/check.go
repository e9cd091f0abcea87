package config

import (
	"fmt"
	"strings"
	"time"
)

// What is not there yet. Redis accepts these values; to accept them here and do
// nothing would be a lie that costs somebody data. Each falls with what it
// waits for.

func noAppendonly(on bool) error {
	if on {
		return refusal("appendonly yes is not available: this server keeps data in memory only")
	}
	return nil
}

func noCluster(on bool) error {
	if on {
		return refusal("cluster-enabled yes is not available: this server is no cluster node")
	}
	return nil
}

// noTLS checks a port or a switch.
func noTLS[T int64 | bool](wanted T) error {
	var none T
	if wanted != none {
		return refusal("TLS is not available: this server does not speak it")
	}
	return nil
}

// noDefrag answers as a Redis that was built with the system's allocator, such
// as Debian's.
func noDefrag(on bool) error {
	if on {
		return refusal("Active defragmentation cannot be enabled: it requires a Redis server compiled with a modified Jemalloc like the one shipped by default with the Redis source distribution")
	}
	return nil
}

// The rules of single values.

// isBaseName returns a check for the name of a file or directory that must not
// lead elsewhere.
func isBaseName(param, what string, mayBeEmpty bool) func(string) error {
	return func(name string) error {
		if name == "" && !mayBeEmpty {
			return refusef("%s can't be empty", param)
		}
		if strings.ContainsAny(name, `/\`) {
			return refusef("%s can't be a path, just a %s", param, what)
		}
		return nil
	}
}

func isHostname(name string) error {
	if len(name) >= 256 {
		return refusal("Hostnames must be less than 256 characters")
	}
	for _, c := range []byte(name) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (c < '0' || c > '9') && c != '-' && c != '.' {
			return refusal("Hostnames may only contain alphanumeric characters, hyphens or dots")
		}
	}
	return nil
}

func isGap(gap string) error {
	if gap == "none" || gap == "yield" {
		return nil
	}
	if d, err := time.ParseDuration(gap); err != nil || d < 0 {
		return refusal("argument must be none, yield or a duration such as 10us")
	}
	return nil
}

func (c *Config) isProcTitle(template string) error {
	if title, ok := c.procTitle(template, ""); !ok || title == "" {
		return refusal("template format is invalid or contains unknown variables")
	}
	return nil
}

// ProcTitle returns what the process is to be called in lists of processes, if
// anything (set-proc-title, proc-title-template). The name is how it was started.
func (c *Config) ProcTitle(name string) (title string, ok bool) {
	if !c.SetProcTitle {
		return "", false
	}
	return c.procTitle(c.ProcTitleTemplate, name)
}

// procTitle fills in a template such as "{title} {listen-addr}", in which "{{"
// is a brace. To check one, the program's name is left empty: a template must
// say something besides.
func (c *Config) procTitle(template, name string) (title string, ok bool) {
	listen := "unixsocket:" + c.UnixSocket
	if c.Port != 0 {
		listen = fmt.Sprintf("*:%d", c.Port)
		if len(c.Bind) > 0 {
			listen = fmt.Sprintf("%s:%d", c.Bind[0], c.Port)
		}
	}
	file := c.File
	if file == "" {
		file = "-"
	}
	variables := map[string]string{
		"title": name, "server-mode": "", "config-file": file, "listen-addr": listen,
		"port": fmt.Sprint(c.Port), "tls-port": "0", "unixsocket": c.UnixSocket,
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(template, "{")
		b.WriteString(before)
		if !found {
			return strings.Trim(b.String(), " "), true
		}
		if after, brace := strings.CutPrefix(rest, "{"); brace {
			b.WriteByte('{')
			template = after
			continue
		}
		variable, after, closed := strings.Cut(rest, "}")
		value, known := variables[variable]
		if !closed || !known {
			return "", false
		}
		b.WriteString(value)
		template = after
	}
}
