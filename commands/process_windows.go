package commands

import (
	"errors"
	"time"
)

func operatingSystem() string { return "Windows" }

func residentMemory() uint64 { return 0 }

func processTimes() (user, sys time.Duration) { return 0, 0 }

func crash() error { return errors.ErrUnsupported }
