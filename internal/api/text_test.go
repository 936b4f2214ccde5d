package api_test

import (
	"net/url"
	"strings"
	"testing"

	"airstrip/internal/api"
	"airstrip/internal/fault"
)

func named(err error) string {
	f, ok := fault.As(err)
	switch {
	case err == nil:
		return ""
	case !ok:
		return "no fault: " + err.Error()
	case len(f.Fields) == 1:
		return f.Fields[0].Name + ":" + f.Fields[0].Code
	}
	return f.Code
}

func TestJSONThatProgramsReadDifferentlyIsNamed(t *testing.T) {
	for body, want := range map[string]string{
		`{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}`: "",
		`{"a":"a","b":"b","c":["a","a"],"":""}`:     "",
		`[]`:                                        "",
		`"text"`:                                    "",
		`no JSON`:                                   "", // for its decoder to say
		`{"a":1`:                                    "",
		`{"a":1,"a":2}`:                             "a:repeated",
		`{"a":1,"\u0061":2}`:                        "a:repeated",
		`{"":1,"":2}`:                               "body:repeated",
		`{"x":{"a":1,"b":[1,{"c":1,"c":2}]}}`:       "x.b[1].c:repeated",
		`{"a":"x\u0000y"}`:                          "a:characters",
		`{"a":["x","y\u0000"]}`:                     "a[1]:characters",
		`"\u0000"`:                                  "body:characters",
		"{\"a\":\"\xff\"}":                          "unreadable",
		`{"a\u0000":1}`:                             "unreadable",
		`{"a":[1e308,-1E400]}`:                      "a[1]:range",
		`{"a":"\ud83d\ude00 \\ud83d"}`:              "",
		`{"a":"\ud83d"}`:                            "a:characters",
		`{"a":"\ud83d x"}`:                          "a:characters",
		`{"a":"\ude00\ud83d"}`:                      "a:characters",
		`{"a":"\uD83D\n\uDE00"}`:                    "a:characters",
		`{"a":[1,{"b":"\uDE00"}]}`:                  "a[1].b:characters",
		`{"a\ud83d":1}`:                             "unreadable",
		`{"a":"\u202eb"}`:                           "a:invisible_characters",
		`{"a":["x","\u200by"]}`:                     "a[1]:invisible_characters",
		`{"a\u200b":1}`:                             "unreadable",
		`{"password":"\u200b\u202e"}`:               "",
		`{"password":"\u0000"}`:                     "password:characters",
		`{"a":"\ud83d\udc69\u200d\ud83d\udcbb"}`:    "",
		strings.Repeat("[", 64) + "1":               "",
		strings.Repeat("[", 1<<20):                  "unreadable",
		strings.Repeat(`{"a":`, 1<<17) + "null":     "unreadable",
	} {
		if got := named(api.CheckJSON([]byte(body))); got != want {
			t.Errorf("%.60q: %s, want %s", body, got, want)
		}
	}
}

func TestValuesThatAreNoTextAreNamed(t *testing.T) {
	for query, want := range map[string]string{
		"a=x&b=%E4%BD%A0": "", "a=%00": "a:characters", "a=x&a=%ff": "a:characters", "%ff=%00": "unreadable",
		"a=%E2%80%AE": "a:invisible_characters", "passwd=%E2%80%AE": "",
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if got := named(api.CheckValues(values)); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}
