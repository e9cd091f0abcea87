package commands

import "myredis/wire"

// replicationCommands are those that clients ask of any server, replicated or
// not. This one is a master without replicas.
var replicationCommands = []*Command{
	{
		Name: "role", Arity: 1, Flags: NoScript | Loading | Stale | Fast, Group: GroupServer, Categories: CatAdmin | CatDangerous, Run: role,
		Since: "2.8.12", Cost: "O(1)", Summary: "Answers the part that the server has in replication.",
	},
	{
		Name: "wait", Arity: 3, Flags: NoScript, Group: GroupGeneric, Categories: CatConnection, Run: wait,
		Since: "3.0.0", Cost: "O(1)", Summary: "Waits until replicas have what was written.", Syntax: "numreplicas timeout",
		Tips: []string{"request_policy:all_shards", "response_policy:agg_min"},
	},
	{
		Name: "lastsave", Arity: 1, Flags: Loading | Stale | Fast, Group: GroupServer, Categories: CatAdmin | CatDangerous, Run: lastsave,
		Since: "1.0.0", Cost: "O(1)", Summary: "Answers when the data was last saved.", Tips: []string{"nondeterministic_output"},
	},
}

func role(c *Call) error {
	c.Array(3)
	c.BulkString("master")
	c.Int(0)
	c.Array(0)
	return nil
}

// wait has nobody to wait for but the end of the time.
func wait(c *Call) error {
	replicas, err := c.int(1)
	if err != nil {
		return err
	}
	ms, err := c.milliseconds(2)
	if err != nil {
		return err
	}
	none := func(out *wire.Encoder) { out.Int(0) }
	if replicas <= 0 {
		none(c.Encoder)
		return nil
	}
	return c.block(nil, ms, none)
}

// lastsave answers the time of the start, as Redis does before the first save.
func lastsave(c *Call) error {
	c.Int(c.Engine.started.Unix())
	return nil
}
