package wire_test

import (
	"fmt"
	"strings"

	"myredis/wire"
)

// A server's loop: read, take the requests, let go of the memory.
func ExampleDecoder() {
	conn := strings.NewReader("*2\r\n$3\r\nGET\r\n$4\r\nname\r\n" + "SET name 'Ann Lee'\r\n")
	var d wire.Decoder
	for {
		n, err := conn.Read(d.Space(4096))
		if err != nil {
			return
		}
		d.Advance(n)
		for {
			args, err := d.Next()
			if err != nil {
				fmt.Println("answer and close:", err)
				return
			}
			if args == nil {
				break
			}
			fmt.Printf("%q\n", args)
		}
		d.Release()
	}
	// Output:
	// ["GET" "name"]
	// ["SET" "name" "Ann Lee"]
}

// A map is an array of twice its length in RESP2.
func ExampleEncoder() {
	for _, proto := range []int{2, 3} {
		e := wire.Encoder{Proto: proto}
		e.Map(1)
		e.BulkString("ann")
		e.Double(7.5)
		fmt.Printf("%q\n", e.Buf)
	}
	// Output:
	// "*2\r\n$3\r\nann\r\n$3\r\n7.5\r\n"
	// "%1\r\n$3\r\nann\r\n,7.5\r\n"
}

// The members that pass are counted while they are appended.
func ExampleEncoder_Defer() {
	var e wire.Encoder
	mark, n := e.Defer(), 0
	for _, score := range []int64{1, 5, 9} {
		if score > 3 {
			e.Int(score)
			n++
		}
	}
	e.Resolve(mark, wire.KindArray, n)
	fmt.Printf("%q\n", e.Buf)
	// Output: "*2\r\n:5\r\n:9\r\n"
}
