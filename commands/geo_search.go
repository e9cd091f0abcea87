package commands

import (
	"cmp"
	"slices"

	"myredis/internal/geohash"
	"myredis/keyspace"
	"myredis/sortedset"
)

// geoForm is what the name of a command says about a search.
type geoForm struct {
	source  int  // the argument that is the key of the set
	options int  // the first argument behind those with fixed places
	named   bool // GEOSEARCH, where even the area is an option
	store   bool // GEOSEARCHSTORE; or in the older form, STORE may be given
}

func geosearch(c *Call) error { return c.geosearch(geoForm{source: 1, options: 2, named: true}) }

func geosearchstore(c *Call) error {
	return c.geosearch(geoForm{source: 2, options: 3, named: true, store: true})
}

func georadius(c *Call) error { return c.geosearch(geoForm{source: 1, options: 6, store: true}) }

func georadiusRO(c *Call) error { return c.geosearch(geoForm{source: 1, options: 6}) }

func georadiusbymember(c *Call) error {
	return c.geosearch(geoForm{source: 1, options: 5, store: true})
}

func georadiusbymemberRO(c *Call) error { return c.geosearch(geoForm{source: 1, options: 5}) }

// geoQuery is the arguments of a search.
type geoQuery struct {
	form  geoForm
	set   *sortedset.Set // nil: there is no such key
	shape geohash.Shape

	fromMember, fromPoint, byRadius, byBox bool
	withCoord, withDist, withHash          bool

	asc, desc bool
	count     int64 // 0: all
	any       bool  // the first ones that are found
	storeKey  []byte
	storeDist bool
}

// found is a member in the area.
type found struct {
	sortedset.Item
	geohash.Point
	distance float64 // metres from the center
}

func (c *Call) geosearch(form geoForm) error {
	// As in Redis the set is looked up first: a wrong type is the error, whatever
	// else is wrong.
	set, err := look[*sortedset.Set](c, c.Args[form.source])
	if err != nil {
		return err
	}
	q := geoQuery{form: form, set: set}
	if form.named && form.store {
		q.storeKey = c.Args[1]
	}
	if err := q.parse(c); err != nil {
		return err
	}
	results := q.run()
	if q.storeKey != nil {
		return q.store(c, results)
	}
	q.reply(c, results)
	return nil
}

func (q *geoQuery) parse(c *Call) error {
	if err := q.parseFixed(c); err != nil {
		return err
	}
	for i := q.form.options; i < len(c.Args); i++ {
		used, err := q.parseOption(c, i)
		if err != nil {
			return err
		}
		i += used
	}
	return q.check(c)
}

// parseFixed reads the area of the older forms. Where the set is missing, that of
// one around a member is not looked at, as in Redis.
func (q *geoQuery) parseFixed(c *Call) (err error) {
	switch q.form.options {
	case 6:
		if q.shape.Center, err = c.lonLat(2); err != nil {
			return err
		}
		return q.parseRadius(c, 4)
	case 5:
		if q.set == nil {
			return nil
		}
		if err = q.parseMember(c, 2); err != nil {
			return err
		}
		return q.parseRadius(c, 3)
	}
	return nil
}

// parseOption reads the option at argument i and returns how many arguments
// belong to it.
func (q *geoQuery) parseOption(c *Call, i int) (used int, err error) {
	left := len(c.Args) - 1 - i
	switch {
	case c.is(i, "WITHDIST"):
		q.withDist = true
	case c.is(i, "WITHHASH"):
		q.withHash = true
	case c.is(i, "WITHCOORD"):
		q.withCoord = true
	case c.is(i, "ANY"):
		q.any = true
	case c.is(i, "ASC"):
		q.asc, q.desc = true, false
	case c.is(i, "DESC"):
		q.asc, q.desc = false, true
	case c.is(i, "COUNT") && left >= 1:
		if q.count, err = c.int(i + 1); err == nil && q.count <= 0 {
			err = Error("ERR COUNT must be > 0")
		}
		return 1, err
	case q.form.named:
		return q.parseNamed(c, i, left)
	case q.form.store && left >= 1 && (c.is(i, "STORE") || c.is(i, "STOREDIST")):
		q.storeKey, q.storeDist = c.Args[i+1], c.is(i, "STOREDIST")
		return 1, nil
	default:
		return 0, errSyntax
	}
	return 0, nil
}

// parseNamed reads an option that only GEOSEARCH and GEOSEARCHSTORE have.
func (q *geoQuery) parseNamed(c *Call, i, left int) (used int, err error) {
	switch {
	case c.is(i, "STOREDIST") && q.form.store:
		q.storeDist = true
		return 0, nil
	case c.is(i, "FROMMEMBER") && left >= 1 && !q.fromPoint:
		q.fromMember = true
		if q.set != nil {
			err = q.parseMember(c, i+1)
		}
		return 1, err
	case c.is(i, "FROMLONLAT") && left >= 2 && !q.fromMember:
		q.fromPoint = true
		q.shape.Center, err = c.lonLat(i + 1)
		return 2, err
	case c.is(i, "BYRADIUS") && left >= 2 && !q.byBox:
		q.byRadius = true
		return 2, q.parseRadius(c, i+1)
	case c.is(i, "BYBOX") && left >= 3 && !q.byRadius:
		q.byBox = true
		return 3, q.parseBox(c, i+1)
	}
	return 0, errSyntax
}

func (q *geoQuery) parseMember(c *Call, i int) error {
	var ok bool
	if q.shape.Center, ok = position(q.set, c.Args[i]); !ok {
		return Error("ERR could not decode requested zset member")
	}
	return nil
}

func (q *geoQuery) parseRadius(c *Call, i int) (err error) {
	radius, ok := parseFloat(c.Args[i])
	if !ok {
		return Error("ERR need numeric radius")
	}
	if radius < 0 {
		return Error("ERR radius cannot be negative")
	}
	q.shape.Radius = radius
	q.shape.Unit, err = c.unit(i + 1)
	return err
}

func (q *geoQuery) parseBox(c *Call, i int) (err error) {
	width, ok := parseFloat(c.Args[i])
	if !ok {
		return Error("ERR need numeric width")
	}
	height, ok := parseFloat(c.Args[i+1])
	if !ok {
		return Error("ERR need numeric height")
	}
	if width < 0 || height < 0 {
		return Error("ERR height or width cannot be negative")
	}
	q.shape.Box, q.shape.Width, q.shape.Height = true, width, height
	q.shape.Unit, err = c.unit(i + 2)
	return err
}

// check finds what is wrong with the options together.
func (q *geoQuery) check(c *Call) error {
	switch {
	case q.storeKey != nil && (q.withDist || q.withHash || q.withCoord):
		who := "STORE option in GEORADIUS"
		if q.form.named {
			who = "GEOSEARCHSTORE"
		}
		return errorf("ERR %s is not compatible with WITHDIST, WITHHASH and WITHCOORD options", who)
	case q.form.named && !q.fromMember && !q.fromPoint:
		return errorf("ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for %s", c.Args[0])
	case q.form.named && !q.byRadius && !q.byBox:
		return errorf("ERR exactly one of BYRADIUS and BYBOX can be specified for %s", c.Args[0])
	case q.any && q.count == 0:
		return Error("ERR the ANY argument requires COUNT argument")
	}
	return nil
}

// run finds the members and puts them in order: without a word about it, the
// nearest first if only some are asked for, and else as the set has them.
func (q *geoQuery) run() (results []found) {
	if q.set == nil {
		return nil
	}
	limit := 0
	if q.any {
		limit = int(q.count)
	}
	results = q.collect(limit)
	if q.asc || q.count > 0 && !q.any && !q.desc {
		slices.SortStableFunc(results, func(a, b found) int { return cmp.Compare(a.distance, b.distance) })
	}
	if q.desc {
		slices.SortStableFunc(results, func(a, b found) int { return cmp.Compare(b.distance, a.distance) })
	}
	if q.count > 0 && q.count < int64(len(results)) {
		results = results[:q.count]
	}
	return results
}

// collect returns the members in the area, no more than the limit if it is not 0.
func (q *geoQuery) collect(limit int) (results []found) {
	for _, r := range q.shape.Ranges() {
		scores := sortedset.ScoreRange{Min: float64(r.Min), Max: float64(r.End), MaxExclusive: true}
		for item := range q.set.ByScore(scores, false, 0) {
			if limit > 0 && len(results) >= limit {
				return results
			}
			p := geohash.Decode(item.Score)
			if distance, ok := q.shape.Contains(p); ok {
				results = append(results, found{item, p, distance})
			}
		}
	}
	return results
}

func (q *geoQuery) reply(c *Call, results []found) {
	parts := 1
	for _, with := range []bool{q.withDist, q.withHash, q.withCoord} {
		if with {
			parts++
		}
	}
	c.Array(len(results))
	for _, r := range results {
		if parts > 1 {
			c.Array(parts)
		}
		c.BulkString(r.Member)
		if q.withDist {
			c.distance(r.distance / q.shape.Unit)
		}
		if q.withHash {
			c.Int(int64(r.Score))
		}
		if q.withCoord {
			c.point(r.Point)
		}
	}
}

func (q *geoQuery) store(c *Call, results []found) error {
	z := newZSet(keyspace.Skiplist)
	longest := 0
	for _, r := range results {
		longest = max(longest, len(r.Member))
	}
	if c.zsetListpackHolds(len(results), longest) {
		z.object.SetEncoding(keyspace.Listpack)
	}
	for _, r := range results {
		score := r.Score
		if q.storeDist {
			score = r.distance / q.shape.Unit
		}
		c.zsetAdd(z, r.Member, score)
	}
	event := "georadiusstore"
	if q.form.named {
		event = "geosearchstore"
	}
	return c.zsetStoreAs(event, q.storeKey, z)
}
