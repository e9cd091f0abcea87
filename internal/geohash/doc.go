// Package geohash is the geometry of Redis's geo commands: positions as numbers
// that sort near places near each other, distances, and which ranges of numbers
// cover an area.
//
// It owns cells, distances and areas, to the last bit as Redis computes them,
// because clients keep the numbers (WITHHASH, a sorted set's scores) and compare
// the digits. It does not know sorted sets, keys or RESP.
//
// # Cells
//
// A cell of step n is one of 2^n by 2^n rectangles that the world is divided
// into, from 180 degrees west to 180 east and between the two parallels at
// which the Mercator projection is a square. Its number is the column and the
// row with their bits interleaved, the column's first, so all the cells inside
// of one of a smaller step are a range. A position is stored as the cell of step
// 26 that it is in: 52 bits, which a float64 holds exactly, and a rectangle of
// at most 60 by 30 centimetres.
//
// # Caveats
//
//   - The Earth is a sphere of 6372797.560856 metres, so a distance may be half a
//     percent off.
//   - Products and sums are rounded one by one, on every machine, by conversions
//     that look idle; sine, cosine and arc sine are this package's own, because
//     Go's differ too often from C's in the last bit.
//   - An area that reaches across a pole or the meridian of 180 degrees is covered
//     as well or badly as Redis does it.
package geohash
