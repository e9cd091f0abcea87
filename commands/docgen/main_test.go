package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/commands"
)

// docs/COMMANDS.md is what the table says.
func TestDocumentIsUpToDate(t *testing.T) {
	var want bytes.Buffer
	write(&want, commands.Table())
	got, err := os.ReadFile("../../docs/COMMANDS.md")
	require.NoError(t, err)
	require.Equal(t, want.String(), string(got), "run make docs")
}
