package geohash_test

import (
	"fmt"

	"myredis/internal/geohash"
)

func Example() {
	palermo := geohash.Point{Lon: 13.361389, Lat: 38.115556}
	score := geohash.Encode(palermo)
	fmt.Println(score, geohash.Text(palermo))

	search := geohash.Shape{Center: geohash.Point{Lon: 15, Lat: 37}, Unit: 1000, Radius: 200}
	for _, r := range search.Ranges() {
		if r.Min <= score && score < r.End {
			distance, ok := search.Contains(geohash.Decode(float64(score)))
			fmt.Printf("%.4f km, inside: %v\n", distance/1000, ok)
		}
	}
	// Output:
	// 3479099956230698 sqc8b49rny0
	// 190.4424 km, inside: true
}
