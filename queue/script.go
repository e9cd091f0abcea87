package queue

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"strings"
)

// script is a Lua script that the store is asked to run by its hash, and sent
// when it does not know it: after a restart, on another node of a Cluster.
type script struct {
	source, hash string
}

func newScript(source string) *script { return &script{source: source, hash: ScriptHash(source)} }

// ScriptHash is the name by which EVALSHA knows a script: the SHA-1 of its text
// in hexadecimal.
func ScriptHash(source string) string {
	sum := sha1.Sum([]byte(source))
	return hex.EncodeToString(sum[:])
}

// run runs the script. A store that does not know it has not run it, so
// sending it then is no second execution.
func (sc *script) run(ctx context.Context, s store, keys []string, args ...any) (any, error) {
	call := make([]any, 0, 3+len(keys)+len(args))
	call = append(call, "EVALSHA", sc.hash, len(keys))
	for _, k := range keys {
		call = append(call, k)
	}
	call = append(call, args...)
	reply, err := s.do(ctx, call...)
	if err != nil && strings.Contains(err.Error(), "NOSCRIPT") {
		call[0], call[1] = "EVAL", sc.source
		reply, err = s.do(ctx, call...)
	}
	return reply, err
}
