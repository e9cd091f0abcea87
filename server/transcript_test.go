package server

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/commands"
	"myredis/internal/transcript"
)

func conversations(t *testing.T) []string {
	files, err := filepath.Glob("../commands/testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// What was recorded from Redis, MyRedis says too, through either front door.
func TestTranscripts(t *testing.T) {
	onEveryDoor(t, map[string]string{"save": ""}, func(t *testing.T, s *Server) {
		transcript.Play(t, func() (net.Conn, error) { return net.Dial("tcp", s.Addr()) }, conversations(t)...)
	})
}

// Every command has at least one recorded conversation.
func TestEveryRowHasATranscript(t *testing.T) {
	covered, err := transcript.Commands(conversations(t)...)
	require.NoError(t, err)
	for _, row := range commands.Table() {
		for _, c := range append([]*commands.Command{row}, row.Sub...) {
			if c.Run != nil && covered[c.FullName()] == 0 {
				t.Errorf("no conversation in commands/testdata for %s", c.FullName())
			}
		}
	}
}
