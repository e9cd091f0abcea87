// Package dict is a hash table from strings to values, made for a store in
// which one goroutine owns all data.
//
// It owns three promises that Go's map does not give:
//
//   - [Dict.Scan] walks the table with a stateless cursor, and whatever is in it
//     from the first step to the last is met at least once, however much the
//     table grows or shrinks between steps.
//   - [Dict.Random] chooses exactly uniformly, in constant expected time.
//   - No operation stops the world: the table grows and shrinks by one bucket at
//     a time, so a Set moves the elements of at most one bucket.
//
// It does not know what is stored, who asks, or what time it is.
//
// # Caveats
//
//   - It takes no lock: one goroutine at a time, readers included only as long
//     as nobody writes.
//   - Set keeps the string it is given; Upsert copies it when it is new. Whoever
//     passes a view of a buffer that will be reused uses Upsert.
//   - No callback and no loop over All may change the table it walks.
//   - The order of elements differs between two tables with the same content.
package dict
