// Package words splits a line into words as Redis's configuration, its ACL
// rules and redis-cli quote them, and quotes a word for such a line.
package words
