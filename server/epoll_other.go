//go:build !linux

package server

import "errors"

const epollAvailable = false

func newEpollDoor(*Server) (door, error) {
	return nil, errors.New("front-door epoll is there on Linux only")
}
