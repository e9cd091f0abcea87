package commands

import (
	"math"

	"myredis/keyspace"
)

func (c *Call) tooLong(n int64) bool { return n > c.Engine.Config.ProtoMaxBulkLen }

func appendTo(c *Call) error {
	key := c.Args[1]
	o := c.DB.Find(view(key))
	if o == nil {
		c.setString(key, c.Args[2])
		c.changed(eventString, "append", key)
		c.Int(int64(len(c.Args[2])))
		return nil
	}
	b, err := stringBytes(o)
	if err != nil {
		return err
	}
	if c.tooLong(int64(len(b) + len(c.Args[2]))) {
		return errStringTooLong
	}
	b = append(b, c.Args[2]...)
	o.Value = b
	o.SetEncoding(keyspace.Raw)
	c.changed(eventString, "append", key)
	c.Int(int64(len(b)))
	return nil
}

func strlen(c *Call) error {
	b, err := stringBytes(c.DB.Look(view(c.Args[1])))
	if err != nil {
		return err
	}
	c.Int(int64(len(b)))
	return nil
}

func getrange(c *Call) error {
	start, err := c.int(2)
	if err != nil {
		return err
	}
	end, err := c.int(3)
	if err != nil {
		return err
	}
	b, err := stringBytes(c.DB.Look(view(c.Args[1])))
	if err != nil {
		return err
	}
	n := int64(len(b))
	if start < 0 && end < 0 && start > end {
		c.BulkString("")
		return nil
	}
	if start < 0 {
		start = max(0, start+n)
	}
	if end < 0 {
		end = max(0, end+n)
	}
	end = min(end, n-1)
	if n == 0 || start > end {
		c.BulkString("")
		return nil
	}
	c.Bulk(b[start : end+1])
	return nil
}

func setrange(c *Call) error {
	offset, err := c.int(2)
	if err != nil {
		return err
	}
	if offset < 0 {
		return Error("ERR offset is out of range")
	}
	key, value := c.Args[1], c.Args[3]
	o := c.DB.Find(view(key))
	b, err := stringBytes(o)
	if err != nil {
		return err
	}
	if len(value) == 0 {
		c.Int(int64(len(b)))
		return nil
	}
	if offset > math.MaxInt64-int64(len(value)) || c.tooLong(offset+int64(len(value))) {
		return errStringTooLong
	}
	if grow := int(offset) + len(value) - len(b); grow > 0 {
		b = append(b, make([]byte, grow)...)
	}
	copy(b[offset:], value)
	if o == nil {
		c.DB.Put(view(key), keyspace.NewObject(keyspace.String, keyspace.Raw, b))
	} else {
		o.Value = b
		o.SetEncoding(keyspace.Raw)
	}
	c.changed(eventString, "setrange", key)
	c.Int(int64(len(b)))
	return nil
}
