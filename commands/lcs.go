package commands

import "slices"

// lcsOptions are what LCS is asked for beside the two keys.
type lcsOptions struct {
	length, indexes, lengths bool
	least                    int64 // matches shorter than this are left out
}

func (c *Call) lcsOptions() (o lcsOptions, err error) {
	for i := 3; i < len(c.Args); i++ {
		switch {
		case c.is(i, "IDX"):
			o.indexes = true
		case c.is(i, "LEN"):
			o.length = true
		case c.is(i, "WITHMATCHLEN"):
			o.lengths = true
		case c.is(i, "MINMATCHLEN") && i+1 < len(c.Args):
			if o.least, err = c.int(i + 1); err != nil {
				return o, err
			}
			o.least = max(0, o.least)
			i++
		default:
			return o, errSyntax
		}
	}
	if o.length && o.indexes {
		return o, Error("ERR If you want both the length and indexes, please just use IDX.")
	}
	return o, nil
}

// lcs finds the longest common subsequence by the table of the lengths of all
// prefixes' subsequences (Wagner and Fischer 1974), and walks it backwards.
func lcs(c *Call) error {
	opts, err := c.lcsOptions()
	if err != nil {
		return err
	}
	var s [2][]byte
	for i := range s {
		o := c.DB.Look(view(c.Args[1+i]))
		if o != nil && o.Kind() != 0 {
			return Error("ERR The specified keys must contain string values")
		}
		if s[i], err = stringBytes(o); err != nil {
			return err
		}
	}
	a, b := s[0], s[1]
	width := len(b) + 1
	// The table has four bytes a cell; Redis bounds it too.
	if cells := int64(len(a)+1) * int64(width); cells > 1<<30 {
		return Error("ERR Insufficient memory, failed allocating transient memory for LCS")
	}
	table := lcsTable(a, b)
	total := int64(table[len(a)*width+len(b)])
	if opts.length {
		c.Int(total)
		return nil
	}
	text, ranges := lcsWalk(a, b, table)
	if !opts.indexes {
		c.Bulk(text)
		return nil
	}
	c.lcsIndexes(ranges, total, opts)
	return nil
}

func lcsTable(a, b []byte) []uint32 {
	width := len(b) + 1
	table := make([]uint32, (len(a)+1)*width)
	for i := range a {
		above, row := table[i*width:], table[(i+1)*width:]
		for j := range b {
			if a[i] == b[j] {
				row[j+1] = above[j] + 1
			} else {
				row[j+1] = max(above[j+1], row[j])
			}
		}
	}
	return table
}

// lcsRange is a run that both strings have: from a1 to a2 in the first, from b1
// to b2 in the second, both ends included.
type lcsRange struct{ a1, a2, b1, b2 int }

// lcsWalk goes from the end of both strings to their beginnings, and returns
// the subsequence and the runs it is made of, the last one first.
func lcsWalk(a, b []byte, table []uint32) (text []byte, ranges []lcsRange) {
	width := len(b) + 1
	i, j := len(a), len(b)
	open := false
	var run lcsRange
	for i > 0 && j > 0 {
		switch {
		case a[i-1] == b[j-1]:
			text = append(text, a[i-1])
			if open && run.a1 == i && run.b1 == j {
				run.a1, run.b1 = i-1, j-1
			} else {
				if open {
					ranges = append(ranges, run)
				}
				run, open = lcsRange{i - 1, i - 1, j - 1, j - 1}, true
			}
			i, j = i-1, j-1
		case table[(i-1)*width+j] > table[i*width+j-1]:
			i--
		default:
			j--
		}
	}
	if open {
		ranges = append(ranges, run)
	}
	slices.Reverse(text)
	return text, ranges
}

func (c *Call) lcsIndexes(ranges []lcsRange, total int64, opts lcsOptions) {
	ranges = slices.DeleteFunc(ranges, func(r lcsRange) bool { return int64(r.a2-r.a1+1) < opts.least })
	c.Map(2)
	c.BulkString("matches")
	c.Array(len(ranges))
	for _, r := range ranges {
		if opts.lengths {
			c.Array(3)
		} else {
			c.Array(2)
		}
		for _, ends := range [][2]int{{r.a1, r.a2}, {r.b1, r.b2}} {
			c.Array(2)
			c.Int(int64(ends[0]))
			c.Int(int64(ends[1]))
		}
		if opts.lengths {
			c.Int(int64(r.a2 - r.a1 + 1))
		}
	}
	c.BulkString("len")
	c.Int(total)
}
