package commands

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"myredis/internal/geohash"
	"myredis/sortedset"
)

// Positions.
//
// A set of positions is a sorted set whose scores are positions, as package
// geohash numbers them, so every other command on sorted sets works on it too.
// The family's files:
//
//	geo.go         the rows, GEOADD, and what asks for members by name
//	geo_search.go  GEOSEARCH and the older forms of it

var geoCommands = []*Command{
	{
		Name: "geoadd", Arity: -5, Flags: Write | DenyOOM, Group: GroupGeo, Keys: oneKey(RW | Update), Run: geoadd,
		Since: "3.2.0", Cost: "O(log(N)) for each member, with N members in the set",
		Summary: "Gives members positions.", Syntax: "key [NX|XX] [CH] longitude latitude member [longitude latitude member ...]",
	},
	{
		Name: "geodist", Arity: -4, Flags: ReadOnly, Group: GroupGeo, Keys: oneKey(RO | Access), Run: geodist,
		Since: "3.2.0", Cost: "O(1)", Summary: "Answers the distance between two members.", Syntax: "key member1 member2 [M|KM|FT|MI]",
	},
	{
		Name: "geohash", Arity: -2, Flags: ReadOnly, Group: GroupGeo, Keys: oneKey(RO | Access), Run: geohashTexts,
		Since: "3.2.0", Cost: "O(1) for each member", Summary: "Answers positions as geohash strings.", Syntax: "key [member [member ...]]",
	},
	{
		Name: "geopos", Arity: -2, Flags: ReadOnly, Group: GroupGeo, Keys: oneKey(RO | Access), Run: geopos,
		Since: "3.2.0", Cost: "O(1) for each member", Summary: "Answers positions as longitude and latitude.", Syntax: "key [member [member ...]]",
	},
	{
		Name: "georadius", Arity: -6, Flags: Write | DenyOOM, Group: GroupGeo, Keys: geoStoreKeys(6), Run: georadius,
		Since: "3.2.0", Cost: geoSearchCost, Summary: "Answers or stores the members in a circle around a position.",
		Syntax: "key longitude latitude radius M|KM|FT|MI [WITHCOORD] [WITHDIST] [WITHHASH] [COUNT count [ANY]] [ASC|DESC] [STORE key|STOREDIST key]",
	},
	{
		Name: "georadius_ro", Arity: -6, Flags: ReadOnly, Group: GroupGeo, Keys: oneKey(RO | Access), Run: georadiusRO,
		Since: "3.2.10", Cost: geoSearchCost, Summary: "Answers the members in a circle around a position.",
		Syntax: "key longitude latitude radius M|KM|FT|MI [WITHCOORD] [WITHDIST] [WITHHASH] [COUNT count [ANY]] [ASC|DESC]",
	},
	{
		Name: "georadiusbymember", Arity: -5, Flags: Write | DenyOOM, Group: GroupGeo, Keys: geoStoreKeys(5), Run: georadiusbymember,
		Since: "3.2.0", Cost: geoSearchCost, Summary: "Answers or stores the members in a circle around one of them.",
		Syntax: "key member radius M|KM|FT|MI [WITHCOORD] [WITHDIST] [WITHHASH] [COUNT count [ANY]] [ASC|DESC] [STORE key|STOREDIST key]",
	},
	{
		Name: "georadiusbymember_ro", Arity: -5, Flags: ReadOnly, Group: GroupGeo, Keys: oneKey(RO | Access), Run: georadiusbymemberRO,
		Since: "3.2.10", Cost: geoSearchCost, Summary: "Answers the members in a circle around one of them.",
		Syntax: "key member radius M|KM|FT|MI [WITHCOORD] [WITHDIST] [WITHHASH] [COUNT count [ANY]] [ASC|DESC]",
	},
	{
		Name: "geosearch", Arity: -7, Flags: ReadOnly, Group: GroupGeo, Keys: oneKey(RO | Access), Run: geosearch,
		Since: "6.2.0", Cost: geoSearchCost, Summary: "Answers the members in a circle or a rectangle.",
		Syntax: "key FROMMEMBER member|FROMLONLAT longitude latitude BYRADIUS radius M|KM|FT|MI|BYBOX width height M|KM|FT|MI [ASC|DESC] [COUNT count [ANY]] [WITHCOORD] [WITHDIST] [WITHHASH]",
	},
	{
		Name: "geosearchstore", Arity: -8, Flags: Write | DenyOOM, Group: GroupGeo,
		Keys: []KeySpec{keyAt(1, OW|Update), keyAt(2, RO|Access)}, Run: geosearchstore,
		Since: "6.2.0", Cost: geoSearchCost, Summary: "Stores the members in a circle or a rectangle.",
		Syntax: "destination source FROMMEMBER member|FROMLONLAT longitude latitude BYRADIUS radius M|KM|FT|MI|BYBOX width height M|KM|FT|MI [ASC|DESC] [COUNT count [ANY]] [STOREDIST]",
	},
}

const geoSearchCost = "O(N + log(M)) with N members near the area and M in the set"

// geoStoreKeys are the keys of the commands that store if asked to, by options
// from an argument on.
func geoStoreKeys(options int) []KeySpec {
	return []KeySpec{keyAt(1, RO|Access), {Flags: OW | Update, Index: options, Keyword: "STORE", Step: 1}, {Flags: OW | Update, Index: options, Keyword: "STOREDIST", Step: 1}}
}

// lonLat parses a position at argument i.
func (c *Call) lonLat(i int) (p geohash.Point, err error) {
	if p.Lon, err = c.float(i); err != nil {
		return p, err
	}
	if p.Lat, err = c.float(i + 1); err != nil {
		return p, err
	}
	if !p.Valid() {
		return p, errorf("ERR invalid longitude,latitude pair %s,%s", sixDigits(p.Lon), sixDigits(p.Lat))
	}
	return p, nil
}

// sixDigits is C's %f.
func sixDigits(f float64) string {
	if math.IsInf(f, 0) {
		return strings.ToLower(strings.TrimPrefix(fmt.Sprint(f), "+"))
	}
	return strconv.FormatFloat(f, 'f', 6, 64)
}

// unit parses a unit of length at argument i and returns its metres.
func (c *Call) unit(i int) (float64, error) {
	switch {
	case c.is(i, "M"):
		return 1, nil
	case c.is(i, "KM"):
		return 1000, nil
	case c.is(i, "FT"):
		return 0.3048, nil
	case c.is(i, "MI"):
		return 1609.34, nil
	}
	return 0, Error("ERR unsupported unit provided. please use M, KM, FT, MI")
}

func geoadd(c *Call) error {
	var opts zaddOptions
	at := 2
options:
	for ; at < len(c.Args); at++ {
		switch {
		case c.is(at, "NX"):
			opts.nx = true
		case c.is(at, "XX"):
			opts.xx = true
		case c.is(at, "CH"):
			opts.ch = true
		default:
			break options
		}
	}
	n := (len(c.Args) - at) / 3
	if n == 0 || (len(c.Args)-at)%3 != 0 || opts.nx && opts.xx {
		return errSyntax
	}
	scores := make([]float64, 0, n)
	pairs := make([][]byte, 0, 2*n)
	for i := at; i < len(c.Args); i += 3 {
		p, err := c.lonLat(i)
		if err != nil {
			return err
		}
		scores = append(scores, float64(geohash.Encode(p)))
		pairs = append(pairs, c.Args[i+1], c.Args[i+2])
	}
	return c.zaddScores(opts, scores, pairs)
}

// position returns where a member is. A missing set has no members.
func position(set *sortedset.Set, member []byte) (geohash.Point, bool) {
	if set == nil {
		return geohash.Point{}, false
	}
	score, ok := set.Score(view(member))
	return geohash.Decode(score), ok
}

func geodist(c *Call) error {
	metres := 1.0
	if len(c.Args) > 5 {
		return errSyntax
	}
	if len(c.Args) == 5 {
		var err error
		if metres, err = c.unit(4); err != nil {
			return err
		}
	}
	set, err := look[*sortedset.Set](c, c.Args[1])
	if err != nil {
		return err
	}
	a, hasA := position(set, c.Args[2])
	b, hasB := position(set, c.Args[3])
	if !hasA || !hasB {
		c.Null()
		return nil
	}
	c.distance(geohash.Distance(a, b) / metres)
	return nil
}

// distance replies with a length: four digits, and a string in RESP3 too.
func (c *Call) distance(d float64) {
	n := int64(math.RoundToEven(d * 10000))
	c.BulkString(fmt.Sprintf("%d.%04d", n/10000, n%10000))
}

// point replies with longitude and latitude.
func (c *Call) point(p geohash.Point) {
	c.Array(2)
	c.humanDouble(p.Lon)
	c.humanDouble(p.Lat)
}

// humanDouble replies with seventeen digits behind the point, less the zeros at
// the end.
func (c *Call) humanDouble(f float64) {
	var room [32]byte
	digits := strconv.AppendFloat(room[:0], f, 'f', 17, 64)
	for digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	if digits[len(digits)-1] == '.' {
		digits = digits[:len(digits)-1]
	}
	c.Decimal(digits)
}

func geohashTexts(c *Call) error {
	set, err := look[*sortedset.Set](c, c.Args[1])
	if err != nil {
		return err
	}
	c.Array(len(c.Args) - 2)
	for _, member := range c.Args[2:] {
		if p, ok := position(set, member); ok {
			c.BulkString(geohash.Text(p))
		} else {
			c.Null()
		}
	}
	return nil
}

func geopos(c *Call) error {
	set, err := look[*sortedset.Set](c, c.Args[1])
	if err != nil {
		return err
	}
	c.Array(len(c.Args) - 2)
	for _, member := range c.Args[2:] {
		if p, ok := position(set, member); ok {
			c.point(p)
		} else {
			c.NullArray()
		}
	}
	return nil
}
