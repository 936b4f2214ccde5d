package format

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// The schema is that of the npm package meta-json-schema, 1.19.24, as it is published; its licence stands beside it. The
// e2e tests hold it against the package, so that both are raised together.
//
//go:embed mihomo/schema.json
var mihomoSchema []byte

// mihomo reads the schema when the first template is saved: that takes a while, and most servers never do it.
var mihomo = sync.OnceValue(func() *jsonschema.Schema {
	const name = "https://mihomo.invalid/schema.json"
	compiler := jsonschema.NewCompiler()
	compiler.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) {
		if re, err := regexp.Compile(pattern); err == nil {
			return re, nil
		}
		return anyText(pattern), nil
	})
	text, err := jsonschema.UnmarshalJSON(bytes.NewReader(mihomoSchema))
	if err == nil {
		err = compiler.AddResource(name, text)
	}
	if err != nil {
		panic(err) // the file is ours
	}
	return compiler.MustCompile(name)
})

// anyText is a pattern that looks ahead, which Go's regular expressions can't: the schema has one, for domains with wildcards.
type anyText string

func (anyText) MatchString(string) bool { return true }

func (p anyText) String() string { return string(p) }

// CheckPublished holds the file for mihomo, with a node of each kind, against the schema that is published for it, and
// gives where and by which rule it fails; nil: nowhere. sing-box and Xray publish no schema, and their programs are too
// large, and under other licences, to be part of the server: for those formats Check's own reading is all.
func (t *Template) CheckPublished() *Problem {
	text, err := yaml.YAMLToJSON(Render(Sample(), Options{Client: Client{Dialect: ClashMetaYAML}, Template: t}).Body)
	if err != nil {
		return &Problem{"clash", "refused", "客户端会拒绝该文件：" + err.Error(), "Clients would refuse the file: " + err.Error()}
	}
	file, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		panic(err) // it was written as JSON just now
	}
	failed, _ := mihomo().Validate(file).(*jsonschema.ValidationError)
	if failed == nil {
		return nil
	}
	failed = closest(failed)
	rule := failed.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	if _, alternatives := failed.ErrorKind.(*kind.AnyOf); alternatives {
		rule = fmt.Sprintf("none of the %d forms that are known fits", len(failed.Causes))
	}
	path, keyword := place(failed.InstanceLocation), strings.Join(failed.ErrorKind.KeywordPath(), ".")
	return &Problem{
		"clash" + path, "schema",
		fmt.Sprintf("不符合 mihomo 公开的规范，位置 %s（%s）：%s", strings.TrimPrefix(path, "."), keyword, rule),
		fmt.Sprintf("This is not as mihomo's published schema has it, at %s (%s): %s", strings.TrimPrefix(path, "."), keyword, rule),
	}
}

// place writes where something stands in a file, .proxy-groups[0].name.
func place(location []string) string {
	var b strings.Builder
	for _, key := range location {
		if _, err := strconv.Atoi(key); err == nil {
			b.WriteString("[" + key + "]")
		} else {
			b.WriteString("." + key)
		}
	}
	return b.String()
}

// closest gives, of all that a value failed by, what its author most likely has to change: of alternatives that which
// lacks the least, of several things the one that lies deepest.
func closest(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return e
	}
	var best *jsonschema.ValidationError
	if !either(e) {
		for _, cause := range e.Causes {
			if c := closest(cause); best == nil || !before(best, c) {
				best = c
			}
		}
		return best
	}
	least := 0
	for _, cause := range e.Causes {
		switch n := leaves(cause); {
		case best == nil || n < least:
			best, least = cause, n
		case n == least && ofKind[*kind.Type](best):
			best = cause
		case n == least && ofKind[*kind.Pattern](best) && ofKind[*kind.Pattern](cause):
			return e
		}
	}
	return closest(best)
}

// before tells whether a is to be named rather than b: it lies deeper, or as deep and comes first by name.
func before(a, b *jsonschema.ValidationError) bool {
	if d := len(a.InstanceLocation) - len(b.InstanceLocation); d != 0 {
		return d > 0
	}
	return place(a.InstanceLocation) < place(b.InstanceLocation)
}

func either(e *jsonschema.ValidationError) bool {
	return ofKind[*kind.AnyOf](e) || ofKind[*kind.OneOf](e)
}

func ofKind[K jsonschema.ErrorKind](e *jsonschema.ValidationError) bool {
	_, is := e.ErrorKind.(K)
	return is
}

func leaves(e *jsonschema.ValidationError) int {
	if len(e.Causes) == 0 {
		return 1
	}
	n := 0
	for _, cause := range e.Causes {
		n += leaves(cause)
	}
	return n
}
