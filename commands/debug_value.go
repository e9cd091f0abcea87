package commands

import (
	"fmt"
	"strings"

	"myredis/internal/dict"
	"myredis/keyspace"
	"myredis/keyspace/hash"
	"myredis/keyspace/list"
	setkind "myredis/keyspace/set"
	"myredis/sortedset"
)

// What DEBUG says of how a value is kept. Tests and tools read these texts, so
// they are Redis's; the figures are of what is kept here.

// stored returns the object of the key that is argument 2, whether or not it
// has fallen due.
func (c *Call) stored() (*keyspace.Object, error) {
	if o := c.DB.Stored(view(c.Args[2])); o != nil {
		return o, nil
	}
	return nil, errNoSuchKey
}

// debugObject describes a value. That it stays where it is while it is changed
// is what some tests look for.
func debugObject(c *Call) error {
	o, err := c.stored()
	if err != nil {
		return err
	}
	size := len(c.Engine.encoder().AppendValue(nil, o))
	text := fmt.Sprintf("Value at:%p refcount:%d encoding:%s serializedlength:%d lru:%d lru_seconds_idle:%d",
		o, c.Engine.refcount(o), o.Encoding(), size, o.Access(), c.Engine.Keys.Idle(o))
	if l, ok := o.Value.(*list.List); ok {
		chunks := l.Chunks()
		text += fmt.Sprintf(" ql_nodes:%d ql_avg_node:%.2f ql_listpack_max:%d ql_compressed:0 ql_uncompressed_size:%d",
			chunks, float64(l.Len())/float64(chunks), c.Engine.Config.ListMaxListpackSize, l.Bytes())
	}
	c.Simple(text)
	return nil
}

// lookedAt is what OBJECT would look at: the key that is argument 2.
func (c *Call) lookedAt() (*keyspace.Object, error) {
	if o := c.DB.Glance(view(c.Args[2])); o != nil {
		return o, nil
	}
	return nil, errNoSuchKey
}

func debugHtstatsKey(c *Call) error {
	o, err := c.lookedAt()
	if err != nil {
		return err
	}
	stats, ok := tableStats(o)
	if !ok {
		return Error("ERR The value stored at the specified key is not represented using an hash table")
	}
	c.Verbatim("txt", describeTable(stats))
	return nil
}

// tableStats returns the shape of the table in which a value is kept, if that
// is what its encoding says.
func tableStats(o *keyspace.Object) (dict.Stats, bool) {
	if o.Encoding() != keyspace.Hashtable && o.Encoding() != keyspace.Skiplist {
		return dict.Stats{}, false
	}
	switch v := o.Value.(type) {
	case *hash.Hash:
		return v.DictStats(), true
	case *setkind.Set:
		return v.DictStats(), true
	case *sortedset.Set:
		return v.DictStats(), true
	}
	return dict.Stats{}, false
}

// describeTable prints the shape of a table. A bucket has eight slots, which is
// why its chain is not one of elements.
func describeTable(s dict.Stats) string {
	const name = "Hash table 0 stats (main hash table):\n"
	if s.Elements == 0 {
		return name + "No stats available for empty dictionaries\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s table size: %d\n number of elements: %d\n overflow buckets: %d\n max chain length: %d\n Chain length distribution:\n",
		name, s.Buckets, s.Elements, s.Overflow, s.LongestChain)
	for i, n := range s.Chains {
		fmt.Fprintf(&b, "   %d: %d (%.02f%%)\n", i+1, n, 100*float64(n)/float64(s.Buckets))
	}
	return b.String()
}

func debugListpack(c *Call) error {
	return c.debugStructure(keyspace.Listpack, "listpack")
}

func debugQuicklist(c *Call) error {
	return c.debugStructure(keyspace.Quicklist, "quicklist")
}

// debugStructure prints a value as it would be written, in the place of the
// bytes of Redis's structure.
func (c *Call) debugStructure(want keyspace.Encoding, name string) error {
	o, err := c.lookedAt()
	if err != nil {
		return err
	}
	if o.Encoding() != want {
		return errorf("ERR Not a %s encoded object.", name)
	}
	c.Engine.Log.Info(name, "key", string(c.Args[2]), "written", fmt.Sprintf("%q", c.Engine.encoder().AppendValue(nil, o)))
	c.Simple(strings.ToUpper(name[:1]) + name[1:] + " structure printed on stdout")
	return nil
}

func debugConfigRewriteForceAll(c *Call) error {
	if err := c.Engine.Config.RewriteFileInFull(); err != nil {
		return errorf("ERR CONFIG-REWRITE-FORCE-ALL failed: %v", err)
	}
	return c.ok()
}
