package sortedset

import "fmt"

// Check reports whether the two halves of a set agree.
func (s *Set) Check() error {
	if s.order.Len() != s.scores.Len() {
		return fmt.Errorf("%d items in order, %d scores", s.order.Len(), s.scores.Len())
	}
	n := 0
	var err error
	var before Item
	s.order.Scan(func(item Item) bool {
		score, ok := s.scores.Get(item.Member)
		switch {
		case !ok || score != item.Score:
			err = fmt.Errorf("item %v has score %v, %v", item, score, ok)
		case n > 0 && !less(before, item):
			err = fmt.Errorf("%v stands before %v", before, item)
		}
		before = item
		n++
		return err == nil
	})
	if err == nil && n != s.order.Len() {
		err = fmt.Errorf("%d items counted, %d met", s.order.Len(), n)
	}
	return err
}
