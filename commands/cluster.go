package commands

// What belongs to Redis Cluster and to modules, neither of which are here. Client
// libraries ask for them to find out, and must get Redis's answer.

const (
	errNoCluster Error = "ERR This instance has cluster support disabled"
	errNoModules Error = "ERR MODULE command not allowed. If the enable-module-command option is set to \"local\", you can run it from a local connection, otherwise you need to set this option in the configuration file, and then restart the server."
)

func noCluster(*Call) error { return errNoCluster }
func noModules(*Call) error { return errNoModules }

// clusterChange are the flags of what changes a cluster.
const clusterChange = NoAsyncLoading | Admin | Stale

var clusterVaries = []string{"nondeterministic_output"}

var clusterCommands = []*Command{
	{Name: "asking", Arity: 1, Flags: Fast, Group: GroupCluster, Categories: CatConnection, Run: noCluster, Since: "3.0.0", Cost: "O(1)", Summary: "Asks a node for a slot that it is about to get."},
	{Name: "readonly", Arity: 1, Flags: Fast | Loading | Stale, Group: GroupCluster, Categories: CatConnection, Run: noCluster, Since: "3.0.0", Cost: "O(1)", Summary: "Lets the connection read from a replica of a cluster."},
	{Name: "readwrite", Arity: 1, Flags: Fast | Loading | Stale, Group: GroupCluster, Categories: CatConnection, Run: noCluster, Since: "3.0.0", Cost: "O(1)", Summary: "Ends what READONLY began."},
	{Name: "cluster", Arity: -2, Group: GroupCluster, Since: "3.0.0", Summary: "Commands about a cluster of servers.", Sub: []*Command{
		{Name: "addslots", Arity: -3, Flags: clusterChange, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(N) with N slots", Summary: "Gives slots to the node.", Syntax: "slot [slot ...]"},
		{Name: "addslotsrange", Arity: -4, Flags: clusterChange, Group: GroupCluster, Run: noCluster, Since: "7.0.0", Cost: "O(N) with N slots", Summary: "Gives ranges of slots to the node.", Syntax: "<start-slot end-slot> [...]"},
		{Name: "bumpepoch", Arity: 2, Flags: clusterChange, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(1)", Summary: "Advances the epoch of the configuration.", Tips: clusterVaries},
		{Name: "count-failure-reports", Arity: 3, Flags: Admin | Stale, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(N) with N reports", Summary: "Counts the reports that a node has failed.", Syntax: "node-id", Tips: clusterVaries},
		{Name: "countkeysinslot", Arity: 3, Flags: Stale, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(1)", Summary: "Counts the keys of a slot.", Syntax: "slot"},
		{Name: "delslots", Arity: -3, Flags: clusterChange, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(N) with N slots", Summary: "Takes slots from the node.", Syntax: "slot [slot ...]"},
		{Name: "delslotsrange", Arity: -4, Flags: clusterChange, Group: GroupCluster, Run: noCluster, Since: "7.0.0", Cost: "O(N) with N slots", Summary: "Takes ranges of slots from the node.", Syntax: "<start-slot end-slot> [...]"},
		{Name: "failover", Arity: -2, Flags: clusterChange, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(1)", Summary: "Makes a replica take its master's place.", Syntax: "[FORCE|TAKEOVER]"},
		{Name: "flushslots", Arity: 2, Flags: clusterChange, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(1)", Summary: "Takes all slots from the node."},
		{Name: "forget", Arity: 3, Flags: clusterChange, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(1)", Summary: "Removes a node from the table of nodes.", Syntax: "node-id"},
		{Name: "getkeysinslot", Arity: 4, Flags: Stale, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(log N) with N keys", Summary: "Answers keys of a slot.", Syntax: "slot count", Tips: clusterVaries},
		{Name: "help", Arity: 2, Flags: Loading | Stale, Group: GroupCluster, Run: noCluster, Since: "5.0.0", Cost: "O(1)", Summary: "Lists the subcommands."},
		{Name: "info", Arity: 2, Flags: Stale, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(1)", Summary: "Describes the state of the cluster.", Tips: clusterVaries},
		{Name: "keyslot", Arity: 3, Flags: Stale, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(N) with N bytes", Summary: "Answers the slot of a key.", Syntax: "key"},
		{Name: "links", Arity: 2, Flags: Stale, Group: GroupCluster, Run: noCluster, Since: "7.0.0", Cost: "O(N) with N nodes", Summary: "Lists the connections between the nodes.", Tips: clusterVaries},
		{Name: "meet", Arity: -4, Flags: clusterChange, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(1)", Summary: "Makes the node know another one.", Syntax: "ip port [cluster-bus-port]"},
		{Name: "myid", Arity: 2, Flags: Stale, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(1)", Summary: "Answers the id of the node."},
		{Name: "nodes", Arity: 2, Flags: Stale, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(N) with N nodes", Summary: "Lists the nodes.", Tips: clusterVaries},
		{Name: "replicas", Arity: 3, Flags: Admin | Stale, Group: GroupCluster, Run: noCluster, Since: "5.0.0", Cost: "O(1)", Summary: "Lists the replicas of a master.", Syntax: "node-id", Tips: clusterVaries},
		{Name: "replicate", Arity: 3, Flags: clusterChange, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(1)", Summary: "Makes the node a replica of a master.", Syntax: "node-id"},
		{Name: "reset", Arity: -2, Flags: Admin | Stale | NoScript, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(N) with N nodes", Summary: "Makes the node forget the cluster.", Syntax: "[HARD|SOFT]"},
		{Name: "saveconfig", Arity: 2, Flags: clusterChange, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(1)", Summary: "Saves the node's view of the cluster."},
		{Name: "set-config-epoch", Arity: 3, Flags: clusterChange, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(1)", Summary: "Sets the epoch of a new node.", Syntax: "config-epoch"},
		{Name: "setslot", Arity: -4, Flags: clusterChange, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(1)", Summary: "Binds a slot to a node.", Syntax: "slot <IMPORTING node-id|MIGRATING node-id|NODE node-id|STABLE>"},
		{Name: "shards", Arity: 2, Flags: Stale, Group: GroupCluster, Run: noCluster, Since: "7.0.0", Cost: "O(N) with N nodes", Summary: "Answers which nodes have which slots.", Tips: clusterVaries},
		{Name: "slaves", Arity: 3, Flags: Admin | Stale, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(1)", Summary: "Lists the replicas of a master.", Syntax: "node-id", Tips: clusterVaries},
		{Name: "slots", Arity: 2, Flags: Stale, Group: GroupCluster, Run: noCluster, Since: "3.0.0", Cost: "O(N) with N nodes", Summary: "Answers which nodes have which slots.", Tips: clusterVaries},
	}},
	{Name: "module", Arity: -2, Group: GroupServer, Since: "4.0.0", Summary: "Commands about modules.", Sub: []*Command{
		{Name: "list", Arity: 2, Flags: Admin | NoScript, Group: GroupServer, Run: moduleList, Since: "4.0.0", Cost: "O(N) with N modules", Summary: "Lists the modules: there are none.", Tips: []string{"nondeterministic_output_order"}},
		{Name: "load", Arity: -3, Flags: NoAsyncLoading | Admin | NoScript, Group: GroupServer, Run: noModules, Since: "4.0.0", Cost: "O(1)", Summary: "Loads a module.", Syntax: "path [arg [arg ...]]"},
		{Name: "loadex", Arity: -3, Flags: NoAsyncLoading | Admin | NoScript, Group: GroupServer, Run: noModules, Since: "7.0.0", Cost: "O(1)", Summary: "Loads a module with a configuration.", Syntax: "path [CONFIG name value [...]] [ARGS arg [arg ...]]"},
		{Name: "unload", Arity: 3, Flags: NoAsyncLoading | Admin | NoScript, Group: GroupServer, Run: noModules, Since: "4.0.0", Cost: "O(1)", Summary: "Removes a module.", Syntax: "name"},
	}},
}

func moduleList(c *Call) error {
	c.Array(0)
	return nil
}
