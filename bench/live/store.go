package live

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"myredis/bench"
)

// Stores says on which stores to run, one after another.
type Stores struct {
	Redis string // host:port of one that is running; "" starts a redis-server if there is one
	On    string // "both", "myredis", "redis"
}

type openStores []*bench.Store

func (s Stores) open(ctx context.Context) (stores openStores, err error) {
	add := func(store *bench.Store, e error) {
		if err = errors.Join(err, e); e == nil {
			stores = append(stores, store)
		}
	}
	if s.On != "redis" {
		add(bench.StartMyRedis(ctx))
	}
	switch {
	case s.On == "myredis":
	case s.Redis != "":
		add(bench.Reach(s.Redis))
	case s.On == "redis" || bench.Installed("redis-server"):
		add(bench.StartRedis(ctx))
	}
	return stores, err
}

func (s openStores) close() {
	for _, store := range s {
		store.Stop()
	}
}

// forget removes a room from a store.
func forget(store *bench.Store, room string) error {
	c, err := bench.Dial(store.Addr)
	if err != nil {
		return err
	}
	defer c.Close()
	for cursor := "0"; ; {
		page, err := c.Do("SCAN", cursor, "MATCH", "{"+room+"}*", "COUNT", strconv.Itoa(1000))
		if err != nil {
			return err
		}
		parts := page.Array()
		if len(parts) != 2 {
			return errors.New("SCAN: unexpected reply")
		}
		for _, key := range parts[1].Array() {
			if _, err := c.Do("DEL", key.String()); err != nil {
				return err
			}
		}
		if cursor = parts[0].String(); cursor == "0" {
			return nil
		}
	}
}

// record is the raw lines of a run, with what it was started in the first one.
type record struct {
	path string
	file *os.File
	enc  *json.Encoder
	err  error
}

func newRecord(dir, experiment string, flags map[string]any) (*record, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, experiment+"-"+time.Now().Format("20060102-150405.000")+".jsonl")
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	r := &record{path: path, file: f, enc: json.NewEncoder(f)}
	r.write(map[string]any{"experiment": experiment, "time": time.Now(), "flags": flags})
	return r, nil
}

func (r *record) write(line any) {
	if r.err == nil {
		r.err = r.enc.Encode(line)
	}
}

func (r *record) close() error { return errors.Join(r.err, r.file.Close()) }
