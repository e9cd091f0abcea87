// Package hyperloglog estimates how many different elements it has been shown,
// in at most 12 KB and with a standard error of 0.81%.
//
// A [Sketch] is Redis's string representation of one, byte for byte: a value
// may be fetched with GET, kept anywhere, and stored again with SET, here or in
// Redis. It owns that format, the hash, and the estimator. It does not know
// keys, RESP or configuration.
//
// # The algorithm
//
// An element is hashed to 64 bits. Fourteen of them choose one of 16384
// registers; the register keeps the longest run of zeros, counted with the one
// that ends it, that the other fifty began with. Many different elements make
// long runs likely, so the registers tell how many there were, and an element
// that comes again changes nothing. The estimator is that of Otmar Ertl, "New
// cardinality estimation algorithms for HyperLogLog sketches" (arXiv:1702.01284).
//
// # The format
//
// A header of 16 bytes: "HYLL", the encoding (0 dense, 1 sparse), three unused
// bytes, and the estimate when it was last made, little endian, whose highest
// bit says that the registers have changed since. Behind it either
//
//   - dense: the registers, six bits each, from the lowest bit of the first byte
//     on; or
//   - sparse: runs of equal registers, in order, together all of them.
//     00nnnnnn is n+1 registers of 0; 01nnnnnn nnnnnnnn is the same for longer
//     runs; 1vvvvvnn is n+1 registers of v+1.
//
// A sketch begins sparse, and becomes dense, for good, when it would outgrow a
// size that the caller gives, or when a register passes 32, which a run cannot
// say.
//
// # Caveats
//
//   - Like append, what changes a sketch may change it in place, and returns the
//     one to go on with.
//   - What a sketch holds may come from a stranger ([Open] looks at the header
//     only). Whatever the bytes are, nothing here reads outside of them; runs that
//     do not add up are [ErrCorrupt] where they are added up; Add does not.
//   - No lock: one goroutine at a time.
package hyperloglog
