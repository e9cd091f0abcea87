package acl_test

import (
	"fmt"

	"myredis/internal/acl"
)

func Example() {
	catalogue := acl.NewCatalogue([]string{"read", "write"}, []*acl.Command{
		{Name: "get", Categories: 1}, {Name: "mget", Categories: 1}, {Name: "set", Categories: 2},
	})
	users := acl.NewUsers(catalogue)
	ann, _, err := users.Set("ann", []string{"on", "nopass", "+@read", "~public:*"})
	if err != nil {
		panic(err)
	}
	fmt.Println("user ann " + users.Rules(ann))
	get := func(key string) *acl.Request {
		return &acl.Request{
			Command: catalogue.Command("get"),
			Args:    [][]byte{[]byte("GET"), []byte(key)},
			Keys:    []acl.Key{{Arg: 1, Access: acl.Read}},
		}
	}
	fmt.Println(ann.Check(get("public:1")))
	fmt.Println(ann.Check(get("secret")))
	// Output:
	// user ann on nopass ~public:* resetchannels -@all +@read
	// allowed 0
	// key 1
}
