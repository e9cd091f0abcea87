package web

import (
	"encoding/json"
	"fmt"
	"math"
	"mime"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// docs/openapi.yaml is held against the service in two ways: its operations are
// the routes, and every answer that any test of this package gets is checked
// against what the document says of it (status, media type, headers, schema).

// contract is the document.
type contract map[string]any

var openapi = sync.OnceValue(func() contract {
	text, err := os.ReadFile("../../docs/openapi.yaml")
	if err != nil {
		panic(err)
	}
	var doc map[string]any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		panic(err)
	}
	return doc
})

func TestDocumentHasTheRoutesAndNoOthers(t *testing.T) {
	var served, documented []string
	for _, r := range routes {
		served = append(served, r.method+" "+strings.TrimSuffix(r.pattern, "{$}"))
	}
	for path, item := range openapi()["paths"].(map[string]any) {
		for method := range item.(map[string]any) {
			if method != "parameters" {
				documented = append(documented, strings.ToUpper(method)+" "+path)
			}
		}
	}
	require.ElementsMatch(t, served, documented)
}

func TestDocumentIsWhole(t *testing.T) {
	doc := openapi()
	require.Equal(t, "3.1.1", doc["openapi"])
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				require.NotPanics(t, func() { doc.resolve(v) }, "%s: %s", at, ref)
			}
			for key, e := range v {
				walk(at+"/"+key, e)
			}
		case []any:
			for i, e := range v {
				walk(fmt.Sprintf("%s/%d", at, i), e)
			}
		}
	}
	walk("", map[string]any(doc))

	seen := map[string]bool{}
	for path, item := range doc["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			if method == "parameters" {
				continue
			}
			op := op.(map[string]any)
			id := op["operationId"].(string)
			require.False(t, seen[id], "two operations are called %s", id)
			seen[id] = true
			var declared []string
			for _, list := range []any{item.(map[string]any)["parameters"], op["parameters"]} {
				parameters, _ := list.([]any)
				for _, p := range parameters {
					if p := doc.resolve(p); p["in"] == "path" {
						declared = append(declared, p["name"].(string))
					}
				}
			}
			var used []string
			for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
				used = append(used, m[1])
			}
			require.ElementsMatch(t, used, declared, "%s %s", method, path)
		}
	}
}

func TestEveryKindOfProblemIsDocumentedByStatus(t *testing.T) {
	statuses := map[string]bool{}
	for _, item := range openapi()["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			if method != "parameters" {
				for status := range op.(map[string]any)["responses"].(map[string]any) {
					statuses[status] = true
				}
			}
		}
	}
	for _, k := range kinds {
		require.True(t, statuses[strconv.Itoa(k.status)], "%s answers %d", k.name, k.status)
	}
}

// resolve follows $ref. It panics where it leads nowhere.
func (c contract) resolve(v any) map[string]any {
	node := v.(map[string]any)
	ref, ok := node["$ref"].(string)
	if !ok {
		return node
	}
	at := any(map[string]any(c))
	for _, step := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		next, ok := at.(map[string]any)[step]
		if !ok {
			panic("nothing at " + ref)
		}
		at = next
	}
	return c.resolve(at)
}

// operation finds what the document says of a request.
func (c contract) operation(method, path string) map[string]any {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for template, item := range c["paths"].(map[string]any) {
		pattern := "^" + regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(regexp.QuoteMeta(template), "[^/]+") + "$"
		if regexp.MustCompile(pattern).MatchString(path) {
			if op, ok := item.(map[string]any)[strings.ToLower(method)]; ok {
				return op.(map[string]any)
			}
			for other, op := range item.(map[string]any) { // 405 is documented with the methods that exist
				if other != "parameters" {
					return op.(map[string]any)
				}
			}
		}
	}
	return nil
}

// check holds an answer against the document. Paths that do not exist are
// outside of it.
func (c contract) check(t *testing.T, req *http.Request, res *http.Response, body []byte) {
	t.Helper()
	op := c.operation(req.Method, req.URL.EscapedPath())
	if op == nil {
		require.Equal(t, 404, res.StatusCode)
		return
	}
	where := fmt.Sprintf("%s %s: %d", req.Method, req.URL.Path, res.StatusCode)
	entry, ok := op["responses"].(map[string]any)[strconv.Itoa(res.StatusCode)]
	require.True(t, ok, "%s is not documented; body: %s", where, body)
	response := c.resolve(entry)
	headers, _ := response["headers"].(map[string]any)
	for name := range headers {
		require.NotEmpty(t, res.Header.Get(name), "%s has no %s", where, name)
	}
	content, ok := response["content"].(map[string]any)
	if !ok || req.Method == http.MethodHead {
		require.Empty(t, body, where)
		return
	}
	media, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	require.NoError(t, err)
	documented, ok := content[media].(map[string]any)
	require.True(t, ok, "%s is %s, which is not documented", where, media)
	if !strings.HasSuffix(media, "json") {
		return
	}
	var value any
	require.NoError(t, json.Unmarshal(body, &value), where)
	require.NoError(t, c.fits(documented["schema"], value), "%s: %s", where, body)
}

// fits checks a value against a schema, with as much of JSON Schema as the
// document uses. It panics on a keyword it does not know, so that none is
// thought checked that is not.
func (c contract) fits(schema, value any) error {
	for keyword, rule := range schema.(map[string]any) {
		if err := c.keyword(keyword, rule, schema.(map[string]any), value); err != nil {
			return err
		}
	}
	return nil
}

func (c contract) keyword(keyword string, rule any, schema map[string]any, value any) error {
	object, _ := value.(map[string]any)
	number, isNumber := value.(float64)
	text, isText := value.(string)
	wrong := func(ok bool) error {
		if ok {
			return nil
		}
		return fmt.Errorf("%v breaks %s: %v", value, keyword, rule)
	}
	switch keyword {
	case "description":
		return nil
	case "$ref":
		return c.fits(c.resolve(schema), value)
	case "type":
		return wrong(typed(rule.(string), value))
	case "const":
		return wrong(value == rule)
	case "enum":
		return wrong(slices.Contains(rule.([]any), value))
	case "pattern":
		return wrong(isText && regexp.MustCompile(rule.(string)).MatchString(text))
	case "format":
		_, err := time.Parse(time.RFC3339Nano, text)
		return wrong(rule == "date-time" && err == nil)
	case "minimum":
		return wrong(isNumber && number >= float64(rule.(int)))
	case "exclusiveMinimum":
		return wrong(isNumber && number > float64(rule.(int)))
	case "required":
		for _, name := range rule.([]any) {
			if _, ok := object[name.(string)]; !ok {
				return fmt.Errorf("%s is missing", name)
			}
		}
		return nil
	case "additionalProperties":
		for name := range object {
			if _, ok := schema["properties"].(map[string]any)[name]; !ok {
				return fmt.Errorf("%s is not documented", name)
			}
		}
		return nil
	case "properties":
		for name, property := range rule.(map[string]any) {
			if v, ok := object[name]; ok {
				if err := c.fits(property, v); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
		}
		return nil
	case "oneOf":
		fitting := 0
		for _, s := range rule.([]any) {
			if c.fits(s, value) == nil {
				fitting++
			}
		}
		return wrong(fitting == 1)
	}
	panic("the test does not know the keyword " + keyword)
}

func typed(name string, value any) bool {
	switch v := value.(type) {
	case nil:
		return name == "null"
	case string:
		return name == "string"
	case map[string]any:
		return name == "object"
	case float64:
		return name == "number" || name == "integer" && v == math.Trunc(v)
	}
	return false
}

func TestContractSeesMistakes(t *testing.T) {
	status := map[string]any{"$ref": "#/components/schemas/Status"}
	for name, value := range map[string]string{
		"missing field":      `{"room":"r","visitor":"v","state":"waiting","position":1,"pollAfter":1}`,
		"undocumented field": `{"room":"r","visitor":"v","state":"waiting","position":1,"ahead":0,"pollAfter":1,"eta":3}`,
		"wrong type":         `{"room":"r","visitor":"v","state":"waiting","position":"1","ahead":0,"pollAfter":1}`,
		"fields of another":  `{"room":"r","visitor":"v","state":"admitted","position":1,"ahead":0,"pollAfter":1}`,
		"unknown state":      `{"room":"r","visitor":"v","state":"lost","pollAfter":1}`,
		"broken pattern":     `{"room":"r","visitor":"v v","state":"unknown","pollAfter":1}`,
	} {
		var v any
		require.NoError(t, json.Unmarshal([]byte(value), &v))
		require.Error(t, openapi().fits(status, v), name)
	}
	var v any
	require.NoError(t, json.Unmarshal([]byte(`{"room":"r","visitor":"v","state":"waiting","position":1,"ahead":0,"pollAfter":1}`), &v))
	require.NoError(t, openapi().fits(status, v))
}
