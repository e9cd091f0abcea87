package server

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// The sockets here are non-blocking, so these calls return at once whatever
// happens, and Go's scheduler need not be told of them (RawSyscall): telling
// it costs more than a short read.

func readSocket(fd int, buf []byte) (int, error) {
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(buf))), uintptr(len(buf)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// writeSocket is a send that raises no SIGPIPE.
func writeSocket(fd int, buf []byte) (int, error) {
	n, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(buf))), uintptr(len(buf)), unix.MSG_NOSIGNAL, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// pollEvents looks for events and does not wait.
func pollEvents(ep int, events []unix.EpollEvent) int {
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(ep), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), 0, 0, 0)
	if errno != 0 {
		return 0
	}
	return int(n)
}

// setSocketOptions sets what Redis sets on a TCP connection: no delay, and
// keep-alive probes after interval seconds, then three more at a third of it.
func setSocketOptions(fd int, peer unix.Sockaddr, interval int) {
	if _, local := peer.(*unix.SockaddrUnix); local {
		return
	}
	unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	if interval > 0 {
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1)
		unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, interval)
		unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, max(1, interval/3))
		unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPCNT, 3)
	}
}
