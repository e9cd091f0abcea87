// Package architecture holds ARCHITECTURE.md against the code: which packages
// there are and which of them each may import. It has no code of its own.
package architecture
