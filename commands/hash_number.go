package commands

import (
	"math"
	"math/big"

	"myredis/internal/atom"
)

func hincrby(c *Call) error {
	increment, err := c.int(3)
	if err != nil {
		return err
	}
	h, err := c.findHash(c.Args[1])
	if err != nil {
		return err
	}
	field, n := argAtom(c.Args[2]), int64(0)
	if value, ok := h.Get(field); ok {
		if n, ok = value.Int(); !ok {
			return Error("ERR hash value is not an integer")
		}
	}
	if increment > 0 && n > math.MaxInt64-increment || increment < 0 && n < math.MinInt64-increment {
		return errOverflow
	}
	n += increment
	h.set(field, atom.OfInt(n))
	h.store("hincrby")
	c.Int(n)
	return nil
}

// hincrbyfloat computes as INCRBYFLOAT does; its errors are others.
func hincrbyfloat(c *Call) error {
	increment, ok := parseLongDouble(c.Args[3])
	switch {
	case !ok:
		return errNotFloat
	case increment.IsInf():
		return Error("ERR value is NaN or Infinity")
	}
	h, err := c.findHash(c.Args[1])
	if err != nil {
		return err
	}
	field, n := argAtom(c.Args[2]), new(big.Float)
	if value, ok := h.Get(field); ok {
		if n, ok = parseLongDouble(value.Append(nil)); !ok {
			return Error("ERR hash value is not a float")
		}
	}
	sum := new(big.Float).SetPrec(longDoubleBits).Add(n, increment)
	if sum.IsInf() || sum.MantExp(nil) > longDoubleMaxExp {
		return Error("ERR increment would produce NaN or Infinity")
	}
	text := appendLongDouble(nil, sum)
	h.set(field, argAtom(text))
	h.store("hincrbyfloat")
	c.Bulk(text)
	return nil
}
