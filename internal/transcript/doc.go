// Package transcript reads, plays and records conversations with a Redis
// server.
//
// A conversation is what a person would see in redis-cli, except that replies
// are printed so that two replies of different wire types never look alike:
// the test that plays one compares types, not only values. Replies are
// recorded from a real Redis 7.0 ([Record]), so the truth is never the output
// of the server under test. Only what Redis 7.0 does not know, behind
// @requires, is written by hand.
//
// The package does not know which server it talks to, nor what a command
// means, except for the few that change how the connection itself is read
// (HELLO, RESET) or that put a server back as it was (FLUSHALL, CONFIG).
//
// # Files
//
// A file is a list of scenarios. Each starts from an empty server: the player
// runs FLUSHALL and CONFIG RESETSTAT before it, and puts back after it every
// parameter that the scenario set with CONFIG SET.
//
//	# why this conversation matters
//	=== SET with NX answers nil when the key is there
//	> SET k v NX
//	OK
//	> SET k w NX
//	(nil)
//
// A line of conversation is one of
//
//	> ZADD k 1 a          client 1 sends a command; its reply follows
//	2> GET k              client 2 does; a client connects when it first speaks
//	raw> "PING\r\n" "*1"  bytes as they are; every reply that they cause follows
//	2raw> "A"*65537       the same by client 2; *N repeats a quoted part
//	2<                    client 2 awaits one message without asking: MONITOR, push
//
// Arguments are quoted as in redis-cli: "\x00\r\n\t\a\b\"\\" inside double
// quotes, \' inside single quotes. A line that starts with # is a comment,
// one that starts with @ a directive. (closed) among the replies says that the
// server closes the connection there; the client connects again when it next
// speaks. When a scenario ends, every client's connection must have nothing
// left to read.
//
// # Replies
//
//	OK                  simple string; (simple) "..." when it has other than
//	                    letters, digits and spaces in it
//	(error) ERR syntax  error; (error) "..." when the text needs escapes
//	(integer) 1         integer
//	"a\r\n"             bulk string
//	(nil)               null bulk string, RESP2
//	(nil array)         null array, RESP2
//	(null)              null, RESP3
//	(double) 1.5        double, with the digits as sent
//	(true) (false)      boolean
//	(big number) 1      big number
//	(verbatim) "txt:a"  verbatim string with its format
//	(blob error) "..."  blob error
//	1) 2) 3)            array, nested by indentation; (empty array)
//	1# "k" => "v"       map; (empty map)
//	1~ 2~ 3~            set; (empty set)
//	1>> 2>> 3>>         push; (empty push)
//	<bulk> <array> …    any value of that type (see @any); <nil bulk> a null
//
// The notation is injective, so replies are compared as text.
//
// # Directives
//
// Below a title (or, for a whole file, above the first title):
//
//	@resp3              every client says HELLO 3 when it connects
//	@requires command client|setinfo
//	                    skip the scenario unless the server knows the command
//	@requires info ^redis_mode:standalone
//	                    skip it unless a line of INFO matches
//
// Above a line of conversation, for that line only:
//
//	@any                the reply differs from run to run: only its type counts
//	@any 4 2.1          only these items may differ (1-based; in a map, the
//	                    value of the n-th pair; 2.1 is item 1 of item 2)
//	@match RE           the reply's text matches the regular expression and its
//	                    type is the recorded one. ^ and $ match at lines, \r\n is
//	                    read as \n; an aggregate is matched as it is printed. May
//	                    stand several times. A named group sets a variable:
//	                    after (?P<id>\d+), later commands may say ${id}
//	@unordered [pairs] [path …]
//	                    the order of the items is not promised: they are compared
//	                    (and recorded) sorted, two by two with pairs
//	@scan               follow the cursor: the command is sent again with the
//	                    cursor that it answered until that is 0; the distinct
//	                    items (with pairs: pairs) of all replies, sorted, are the reply
//	@scan pairs
//	@eventually         send the command again until it gives the reply, for five
//	                    seconds at most; for what takes time, as expiry does
//	@silent             no reply is expected (CLIENT REPLY OFF)
//
// # Caveats
//
// The peer is trusted: nothing bounds what it makes the reader allocate.
// RESP3 attributes and streamed types, which Redis does not send to ordinary
// commands, are errors. Scenarios run FLUSHALL: never play against a server
// that holds data.
package transcript
