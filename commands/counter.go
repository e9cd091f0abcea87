package commands

import (
	"math"

	"myredis/keyspace"
)

func incr(c *Call) error { return c.add(1) }
func decr(c *Call) error { return c.add(-1) }

func incrby(c *Call) error {
	n, err := c.int(2)
	if err != nil {
		return err
	}
	return c.add(n)
}

func decrby(c *Call) error {
	n, err := c.int(2)
	if err != nil {
		return err
	}
	if n == math.MinInt64 {
		return Error("ERR decrement would overflow")
	}
	return c.add(-n)
}

func (c *Call) add(n int64) error {
	key := c.Args[1]
	o := c.DB.Find(view(key))
	old := int64(0)
	if o != nil {
		switch v := o.Value.(type) {
		case int64:
			old = v
		case []byte:
			var ok bool
			if old, ok = parseInt(v); !ok {
				return errNotInteger
			}
		default:
			return errWrongType
		}
	}
	if n > 0 && old > math.MaxInt64-n || n < 0 && old < math.MinInt64-n {
		return errOverflow
	}
	if o == nil {
		c.DB.Put(view(key), keyspace.NewObject(keyspace.String, keyspace.Int, old+n))
	} else {
		o.Value = old + n
		o.SetEncoding(keyspace.Int)
	}
	c.changed(eventString, "incrby", key)
	c.Int(old + n)
	return nil
}

// incrbyfloat computes as Redis does, in the 80-bit numbers of x86.
func incrbyfloat(c *Call) error {
	key := c.Args[1]
	o := c.DB.Find(view(key))
	old, err := stringBytes(o)
	if err != nil {
		return err
	}
	sum, err := addLongDouble(old, c.Args[2])
	if err != nil {
		return err
	}
	if o == nil {
		o = keyspace.NewObject(keyspace.String, keyspace.Raw, sum)
		c.DB.Put(view(key), o)
	}
	o.Value = sum // never as an integer, whatever it looks like
	o.SetEncoding(wholeEncoding(sum))
	c.changed(eventString, "incrbyfloat", key)
	c.Bulk(sum)
	return nil
}
