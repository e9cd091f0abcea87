// Package rdb is Redis's format of values and snapshots, version 10, which is
// Redis 7.0's: what DUMP answers and what a dump.rdb file holds.
//
// It writes values in the compact forms in which Redis would write them, so
// that Redis can read them, and reads every form that Redis has ever written,
// of any version: listpacks, and the ziplists, zipmaps and linked lists before
// them. It does not know commands, files or configuration. Modules' values it
// refuses.
//
// An [Encoder] writes values and a [Decoder] reads them; [Seal] and [Open] put
// the trailer of DUMP on and take it off. A [Writer] and a [Reader] are for
// whole snapshots.
//
// # Caveats
//
//   - Input is not trusted. Whatever it is, reading ends with a value or an
//     error, and what it allocates is bounded by the size of the input, times
//     what LZF can expand and a packed value can grow when it is unpacked.
//   - Redis checks packed values deeply only if sanitize-dump-payload says so.
//     Here it is always done, as a side effect of unpacking.
//   - No lock: one goroutine at a time.
package rdb
