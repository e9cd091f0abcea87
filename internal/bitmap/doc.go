// Package bitmap reads and writes bytes as a row of bits.
//
// It owns the arithmetic of Redis's bit commands: single bits, counting,
// searching, integers of any width, and logic between rows. Bit 0 is the most
// significant bit of byte 0, so an integer of several bits reads from left to
// right as it is written on paper.
//
// It does not know keys, strings' encodings, RESP or limits.
//
// # Caveats
//
//   - Positions are int64, because the bits of a large string are more than a
//     32-bit int counts.
//   - Readers take what lies behind the end as zeros; writers need the bytes to
//     be there.
package bitmap
