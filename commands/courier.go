package commands

import "time"

// Courier takes values to other servers, for MIGRATE. Sockets are not the
// engine's business; a server gives it one.
type Courier interface {
	// Send delivers the parcel and calls arrived in a turn of the executor. It
	// returns at once.
	Send(p *Parcel, arrived func(Delivery))
	// Deliver delivers the parcel and waits for the answer.
	Deliver(p *Parcel) Delivery
	// Connections returns how many connections are kept for parcels to come.
	Connections() int
}

// Parcel is what is to be sent, and where. The requests are whole, as they go
// over the wire, and each is answered by one line.
type Parcel struct {
	Host, Port string
	DB         int64         // the database that Select selects
	Timeout    time.Duration // of each wait for the target

	Auth     []byte // nil for none
	Select   []byte // left out when the connection is in that database already
	Restores []byte // Count requests
	Count    int
}

// Delivery is what became of a parcel.
type Delivery struct {
	Stored  []bool  // for each request of Restores, whether the target did it
	Refusal string  // the target's first error, without the "-"; "" for none
	Failure Failure // what the connection failed at
}

// Failure says what a connection failed at, or waited for too long.
type Failure uint8

// Failures of a delivery.
const (
	Arrived Failure = iota
	NotConnected
	NotWritten
	NotAnswered
)

// err words the delivery as MIGRATE answers it; nil when all went well.
func (d *Delivery) err() error {
	switch {
	case d.Refusal != "":
		return errorf("ERR Target instance replied with error: %s", d.Refusal)
	case d.Failure == NotConnected:
		return Error("IOERR error or timeout connecting to the client")
	case d.Failure == NotWritten:
		return Error("IOERR error or timeout writing to target instance")
	case d.Failure == NotAnswered:
		return Error("IOERR error or timeout reading to target instance")
	}
	return nil
}
