// Package words splits a line into words as Redis's configuration, its ACL
// rules and redis-cli quote them, quotes a word for such a line, and wraps plain text into lines.
package words
