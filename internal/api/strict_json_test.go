package api_test

import (
	"strings"
	"testing"

	"airstrip/internal/api"
)

func TestDecodeExactly(t *testing.T) {
	type row struct {
		ID int64 `json:"user_id"`
	}
	type post struct {
		Name string   `json:"name"`
		List []string `json:"list"`
		Rows []row    `json:"rows"`
	}
	for body, want := range map[string]string{
		`{"name":"a","list":["name","name",":"],"rows":[{"user_id":1},{"user_id":2}]}`: "",
		`{"name" : "a", "new_1":{"name":"b"}, "x":[{"name":1},["name"]]}`:              "",
		`{"name":"{\"name\":1,\"name\":2}\\"}`:                                         "",
		` { } `:                                                                        "",
		`null`:                                                                         "",
		`{"Name":"a"}`:                                                                 "Name:unknown",
		`{"\u006eame":"a"}`:                                                            `\u006eame:unknown`,
		`{"rows":[{"user_id":1},{"USER_ID":2}]}`:                                       "USER_ID:unknown",
		// package json folds ſ to s
		`{"rows":[{"u\u017fer_id":2}]}`:                    `u\u017fer_id:unknown`,
		"{\"u\u017fer_id\":2}":                             "u\u017fer_id:unknown",
		`{"name":"a","list":["x"],"rows":[{}],"name":"b"}`: "name:repeated",
		`{"rows":[{"user_id":1,"user_id":2}]}`:             "user_id:repeated",
		`{"x":{"a":1},"y":{"a":1},"x":2}`:                  "x:repeated",
		`{"a":1` + strings.Repeat(`,"b":1`, 2) + `}`:       "b:repeated",
		`{` + manyNames(65) + `}`:                          "body_too_large",
	} {
		if got := named(api.DecodeExactly([]byte(body), new(post))); got != want {
			t.Errorf("%.80s: %q, want %q", body, got, want)
		}
	}
	for _, body := range []string{``, `{`, `{"name":1}`, `{"name":"a"} x`, `{"name"}`} {
		if api.DecodeExactly([]byte(body), new(post)) == nil {
			t.Errorf("%s is taken", body)
		}
	}
}

func manyNames(n int) string {
	var names []string
	for i := range n {
		names = append(names, `"`+strings.Repeat("a", i+1)+`":1`)
	}
	return strings.Join(names, ",")
}
