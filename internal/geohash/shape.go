package geohash

import "math"

// Range is the scores from Min to before End.
type Range struct{ Min, End uint64 }

// Shape is an area around a point: a circle, or with Box a rectangle. Lengths are
// in units of so many metres.
type Shape struct {
	Center        Point
	Unit          float64
	Box           bool
	Radius        float64
	Width, Height float64
}

// earthRadius is in metres.
const earthRadius = 6372797.560856

// degree is in radians.
const degree = math.Pi / 180

func radians(degrees float64) float64 { return degrees * degree }

// Distance is the way between two points in metres, by the haversine formula.
func Distance(a, b Point) float64 {
	v := sin((radians(b.Lon) - radians(a.Lon)) / 2)
	if v == 0 {
		return latDistance(a.Lat, b.Lat)
	}
	lat1, lat2 := radians(a.Lat), radians(b.Lat)
	u := sin((lat2 - lat1) / 2)
	h := float64(u*u) + float64(cos(lat1)*cos(lat2)*v*v)
	// Redis: has no result where rounding makes h more than 1.
	return 2 * earthRadius * asin(math.Sqrt(min(h, 1)))
}

func latDistance(a, b float64) float64 { return earthRadius * math.Abs(radians(b)-radians(a)) }

// Contains reports whether a point is in the shape, and how many metres from its
// center.
func (s *Shape) Contains(p Point) (distance float64, ok bool) {
	if !s.Box {
		distance = Distance(s.Center, p)
		return distance, !(distance > s.Radius*s.Unit)
	}
	if latDistance(p.Lat, s.Center.Lat) > s.Height*s.Unit/2 {
		return 0, false
	}
	if Distance(p, Point{s.Center.Lon, p.Lat}) > s.Width*s.Unit/2 {
		return 0, false
	}
	return Distance(s.Center, p), true
}

// bounds is a rectangle of degrees around the shape, which may reach beyond a pole
// or the meridian of 180 degrees.
func (s *Shape) bounds() area {
	height, width := s.Unit*s.Radius, s.Unit*s.Radius
	if s.Box {
		height, width = s.Unit*(s.Height/2), s.Unit*(s.Width/2)
	}
	dLat := height / earthRadius / degree
	nearPole := s.Center.Lat + dLat
	if s.Center.Lat < 0 {
		nearPole = s.Center.Lat - dLat
	}
	dLon := width / earthRadius / math.Cos(radians(nearPole)) / degree
	return area{span{s.Center.Lon - dLon, s.Center.Lon + dLon}, span{s.Center.Lat - dLat, s.Center.Lat + dLat}}
}

// estimateStep is the largest step at which a cell and those around it are likely
// to cover the shape.
func (s *Shape) estimateStep() uint {
	reach := s.Radius
	if s.Box {
		w, h := s.Width/2, s.Height/2
		reach = math.Sqrt(float64(w*w) + float64(h*h))
	}
	reach *= s.Unit
	if reach == 0 {
		return maxStep
	}
	const halfEquator = 20037726.37
	step := -1
	for ; reach < halfEquator; reach *= 2 {
		step++
	}
	// Columns are narrower towards the poles.
	if lat := math.Abs(s.Center.Lat); lat > 80 {
		step -= 2
	} else if lat > 66 {
		step--
	}
	return uint(max(1, min(step, maxStep)))
}

// directions is the order in which cells are looked at, which shows in the order
// of unsorted results.
var directions = [...]struct{ east, north int }{{0, 0}, {0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}}

// Ranges returns the scores of up to nine cells that cover the shape, none of them
// twice, in the order in which Redis looks at them.
func (s *Shape) Ranges() []Range {
	bounds := s.bounds()
	center := encode(s.Center, lonSpan, latSpan, s.estimateStep())
	if center.step > 1 && !center.reaches(bounds) {
		center = encode(s.Center, lonSpan, latSpan, center.step-1)
	}
	var ranges []Range
	for _, d := range directions {
		if center.step >= 2 && center.covers(bounds, d.east, d.north) {
			continue
		}
		// A world of two by two cells has the same one on both sides.
		if center.step == 1 && (d.east < 0 || d.north < 0) {
			continue
		}
		ranges = append(ranges, center.neighbor(d.east, d.north).scores())
	}
	return ranges
}

// reaches reports whether the cells around this one reach as far as the bounds in
// each direction.
func (c cell) reaches(b area) bool {
	north, south := c.neighbor(0, 1).area(), c.neighbor(0, -1).area()
	east, west := c.neighbor(1, 0).area(), c.neighbor(-1, 0).area()
	return !(north.lat.max < b.lat.max || south.lat.min > b.lat.min ||
		east.lon.max < b.lon.max || west.lon.min > b.lon.min)
}

// covers reports whether the cell itself reaches so far that its neighbor in a
// direction is not needed.
func (c cell) covers(b area, east, north int) bool {
	a := c.area()
	return north < 0 && a.lat.min < b.lat.min || north > 0 && a.lat.max > b.lat.max ||
		east < 0 && a.lon.min < b.lon.min || east > 0 && a.lon.max > b.lon.max
}
