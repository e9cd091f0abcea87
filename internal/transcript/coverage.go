package transcript

import "strings"

// containers are the commands whose first argument names a subcommand
// (Redis 7.0's table).
var containers = map[string]bool{
	"acl": true, "client": true, "cluster": true, "command": true, "config": true, "function": true,
	"latency": true, "memory": true, "module": true, "object": true, "pubsub": true, "script": true,
	"slowlog": true, "xgroup": true, "xinfo": true,
}

// Commands counts the conversations that files hold with each command, by its
// full name in lower case: "zadd", "config|get". A container alone ("config")
// counts when nothing follows its name.
func Commands(files ...string) (map[string]int, error) {
	counts := map[string]int{}
	for _, path := range files {
		file, err := ParseFile(path)
		if err != nil {
			return nil, err
		}
		for _, sc := range file.Scenarios {
			for _, step := range sc.Steps {
				if len(step.Args) > 0 {
					counts[fullName(step.Args)]++
				}
			}
		}
	}
	return counts, nil
}

func fullName(args []string) string {
	name := strings.ToLower(args[0])
	if containers[name] && len(args) > 1 {
		return name + "|" + strings.ToLower(args[1])
	}
	return name
}
