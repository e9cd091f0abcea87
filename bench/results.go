package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Row is one result: a table's columns by their keys.
type Row map[string]any

// Number returns a measured value; false if it was not measured.
func (r Row) Number(key string) (float64, bool) {
	switch v := r[key].(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case json.Number:
		n, err := v.Float64()
		return n, err == nil
	}
	return 0, false
}

// N returns a measured value, zero if it was not measured.
func (r Row) N(key string) float64 {
	n, _ := r.Number(key)
	return n
}

// Is returns a yes or no.
func (r Row) Is(key string) bool {
	b, _ := r[key].(bool)
	return b
}

// Label returns a value as it is shown.
func (r Row) Label(key string) string {
	switch v := r[key].(type) {
	case nil:
		return "–"
	case string:
		return v
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

// Key joins labels into one text that tells a case from others.
func (r Row) Key(labels []string) string {
	parts := make([]string, len(labels))
	for i, l := range labels {
		parts[i] = r.Label(l)
	}
	return strings.Join(parts, ", ")
}

// Results are the results of one run of an experiment, by table.
type Results map[string][]Row

// Of returns a table's rows that pass keep.
func (r Results) Of(table string, keep func(Row) bool) (rows []Row) {
	for _, row := range r[table] {
		if keep == nil || keep(row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// span is the least and the most of a column.
func span(rows []Row, key string) (least, most float64) {
	for i, row := range rows {
		n := row.N(key)
		if i == 0 {
			least, most = n, n
		}
		least, most = min(least, n), max(most, n)
	}
	return least, most
}

// median of a column, over the rows in which it was measured.
func median(rows []Row, key string) float64 {
	var values []float64
	for _, row := range rows {
		if n, ok := row.Number(key); ok {
			values = append(values, n)
		}
	}
	return Quantile(values, 0.5)
}

// Quantile returns the q-th quantile (0 to 1) of values, which it sorts: the
// least value that at least q of them do not exceed; 0 of no values.
func Quantile[T cmp.Ordered](values []T, q float64) (v T) {
	if len(values) == 0 {
		return v
	}
	slices.Sort(values)
	at := int(q*float64(len(values)) + 0.999999)
	return values[min(max(at-1, 0), len(values)-1)]
}

// Curve is how a value changed: points of x and y.
type Curve struct {
	Chart  string       `json:"chart"`
	Labels Row          `json:"labels"`
	Cap    float64      `json:"cap,omitempty"`
	Points [][2]float64 `json:"points"`
}

// firstStore keeps the rows of the store that comes first, which is the
// project's own unless the run was told otherwise.
func firstStore(rows []Row) []Row {
	if len(rows) == 0 {
		return nil
	}
	first := rows[0].Label("store")
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Label("store") != first })
}
