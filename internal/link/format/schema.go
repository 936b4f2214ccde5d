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

// published is a published schema of one format's files.
type published struct {
	key, name string // Key of the template's tree, and name of the publisher.
	client    Client
	text      []byte
	prepare   func(file any) // Removes what the schema no longer contains but cores still read; nil for nothing.
	// Parsing takes a while and most servers never need it, so it happens when the first template is saved.
	once     sync.Once
	compiled *jsonschema.Schema
}

// The schema of mihomo is the npm package meta-json-schema, 1.19.24, as published, with its licence next to it. That of
// sing-box is the output of 'sing-box schema' of core 1.14.1, without white space. Tests compare both with their
// sources, so that they are updated together.
var (
	//go:embed mihomo/schema.json
	mihomoSchema []byte
	//go:embed singbox/schema.json
	singBoxSchema []byte

	allPublished = []*published{
		{key: "clash", name: "mihomo", client: Client{Dialect: ClashMetaYAML}, text: mihomoSchema},
		{
			key: "sing_box", name: "sing-box", client: Client{Dialect: SingBoxJSON, TUN: true}, text: singBoxSchema,
			prepare: removeDetours,
		},
	}
)

func (p *published) schema() *jsonschema.Schema {
	p.once.Do(func() {
		name := "https://" + p.name + ".invalid/schema.json"
		compiler := jsonschema.NewCompiler()
		compiler.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) {
			if re, err := regexp.Compile(pattern); err == nil {
				return re, nil
			}
			return anyText(pattern), nil
		})
		text, err := jsonschema.UnmarshalJSON(bytes.NewReader(p.text))
		if err == nil {
			err = compiler.AddResource(name, text)
		}
		if err != nil {
			panic(err) // The file is embedded.
		}
		p.compiled = compiler.MustCompile(name)
	})
	return p.compiled
}

// anyText replaces a pattern with a look-ahead, which Go's regular expressions do not support: the schema has one, for
// wildcard domains.
type anyText string

func (anyText) MatchString(string) bool { return true }

func (p anyText) String() string { return string(p) }

// CheckPublished validates the files for mihomo and for present cores of sing-box, with a node of each kind, against
// the published schemas. It returns the location of the first error and the violated rule, or nil. Xray and sing-box
// before 1.14 publish no schema, so Check is the only validation for them.
func (t *Template) CheckPublished() *Problem {
	for _, p := range allPublished {
		if problem := p.check(t); problem != nil {
			return problem
		}
	}
	return nil
}

func (p *published) check(t *Template) *Problem {
	text, err := yaml.YAMLToJSON(Render(Sample(), Options{Client: p.client, Template: t}).Body)
	if err != nil {
		return &Problem{p.key, "refused", "客户端会拒绝该文件：" + err.Error(), "Clients would refuse the file: " + err.Error()}
	}
	file, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		panic(err) // It was just encoded as JSON.
	}
	if p.prepare != nil {
		p.prepare(file)
	}
	failed, _ := p.schema().Validate(file).(*jsonschema.ValidationError)
	if failed == nil {
		return nil
	}
	failed = mostSpecific(failed)
	rule := failed.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	if _, alternatives := failed.ErrorKind.(*kind.AnyOf); alternatives {
		rule = fmt.Sprintf("none of the %d forms that are known fits", len(failed.Causes))
	}
	path, keyword := location(failed.InstanceLocation), strings.Join(failed.ErrorKind.KeywordPath(), ".")
	return &Problem{
		p.key + path, "schema",
		fmt.Sprintf("不符合 %s 公开的规范，位置 %s（%s）：%s", p.name, strings.TrimPrefix(path, "."), keyword, rule),
		fmt.Sprintf("This is not as %s's published schema has it, at %s (%s): %s", p.name,
			strings.TrimPrefix(path, "."), keyword, rule),
	}
}

// removeDetours removes download_detour from rule sets: cores before 1.14 know no other name, and those before 1.16
// accept it.
func removeDetours(file any) {
	whole, _ := file.(map[string]any)
	route, _ := whole["route"].(map[string]any)
	sets, _ := route["rule_set"].([]any)
	for _, set := range sets {
		if s, ok := set.(map[string]any); ok {
			delete(s, "download_detour")
		}
	}
}

// location formats a location in a file, such as .proxy-groups[0].name.
func location(location []string) string {
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

// mostSpecific returns, of all errors of a value, the one that its author most likely has to fix: of alternatives the
// closest one, of several errors the deepest.
func mostSpecific(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return e
	}
	var best *jsonschema.ValidationError
	if !either(e) {
		for _, cause := range e.Causes {
			if c := mostSpecific(cause); best == nil || !before(best, c) {
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
	return mostSpecific(best)
}

// before reports whether a is more specific than b: deeper, or equally deep and first by name.
func before(a, b *jsonschema.ValidationError) bool {
	if d := len(a.InstanceLocation) - len(b.InstanceLocation); d != 0 {
		return d > 0
	}
	return location(a.InstanceLocation) < location(b.InstanceLocation)
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
