package load

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Blank serves an answer as long as the service's own, without doing anything
// for it, until ctx ends.
func Blank(ctx context.Context, w io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	body := []byte(`{"room":"bench-1733205000000000000-1","visitor":"r123456","state":"waiting","position":12,"ahead":11,"pollAfter":1.05}`)
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})}
	fmt.Fprintf(w, "{\"line\":\"ready\",\"url\":\"http://%s\"}\n", listener.Addr())
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}
