// Command record plays transcripts against a real Redis 7.0 and writes its
// replies into them:
//
//	go run ./internal/transcript/record -addr 127.0.0.1:6379 commands/testdata/*.txt
//
// The server's data is lost.
package main

import (
	"flag"
	"fmt"
	"net"
	"os"

	"myredis/internal/transcript"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:6379", "`host:port` of a Redis 7.0 whose data may be lost")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: record [-addr host:port] file...")
		os.Exit(2)
	}
	dial := func() (net.Conn, error) { return net.Dial("tcp", *addr) }
	for _, file := range flag.Args() {
		n, err := transcript.Record(dial, file)
		if err != nil {
			fmt.Fprintln(os.Stderr, "record:", err)
			os.Exit(1)
		}
		fmt.Printf("%s: %d conversations\n", file, n)
	}
}
