// Package report makes pages, pictures and comparisons of the records that
// experiments leave: from the files alone, on any machine, at any time.
//
// What is shown of an experiment, and in which words, is its row in package
// bench; this package knows tables, bars and lines, and no experiment by name.
package report
