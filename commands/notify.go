package commands

import (
	"strconv"
	"strings"

	"myredis/keyspace"
)

// notifyClass is the class of a keyspace event, as the characters of
// notify-keyspace-events select them.
type notifyClass uint16

// Classes, with their characters.
const (
	eventGeneric  notifyClass = 1 << iota // g
	eventString                           // $
	eventList                             // l
	eventSet                              // s
	eventHash                             // h
	eventZSet                             // z
	eventExpired                          // x
	eventEvicted                          // e
	eventStream                           // t
	eventKeyMiss                          // m
	eventNew                              // n
	eventModule                           // d
	eventKeyspace                         // K
	eventKeyevent                         // E
)

// eventCharacters select the classes, in their order.
const eventCharacters = "g$lshzxetmndKE"

// allEvents is what the character A stands for.
const allEvents = eventGeneric | eventString | eventList | eventSet | eventHash | eventZSet | eventExpired | eventEvicted | eventStream | eventModule

// parseEvents reads the value of notify-keyspace-events. Without K or E
// nothing is ever sent.
func parseEvents(text string) (classes notifyClass) {
	for _, ch := range text {
		if ch == 'A' {
			classes |= allEvents
		} else if i := strings.IndexRune(eventCharacters, ch); i >= 0 {
			classes |= 1 << i
		}
	}
	if classes&(eventKeyspace|eventKeyevent) == 0 {
		return 0
	}
	return classes
}

// followEvents keeps the classes that are asked for up to the setting.
func (e *Engine) followEvents() {
	set := func() error {
		e.events = parseEvents(e.Config.NotifyKeyspaceEvents)
		e.Keys.OnNew = nil
		if e.events&eventNew != 0 {
			e.Keys.OnNew = func(db *keyspace.DB, key string) { e.notify(db, "new", []byte(key)) }
		}
		return nil
	}
	set()
	e.Config.OnChange("notify-keyspace-events", set)
}

// notify publishes a keyspace event (Redis documentation, "Redis keyspace
// notifications").
func (e *Engine) notify(db *keyspace.DB, event string, key []byte) {
	at := "@" + strconv.Itoa(db.Index()) + "__:"
	if e.events&eventKeyspace != 0 {
		e.publish(channels, "__keyspace"+at+view(key), []byte(event))
	}
	if e.events&eventKeyevent != 0 {
		e.publish(channels, "__keyevent"+at+event, key)
	}
}
