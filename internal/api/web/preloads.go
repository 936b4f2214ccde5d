package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// preloadsMark is the place in index.html for the preload links of an address.
const preloadsMark = "<!-- preloads -->"

// preload lists what the pages of some addresses load besides the entry, as the build determined it
// (web/tools/preload-routes.ts).
type preload struct {
	Path   string              `json:"path"`
	Except []string            `json:"except"` // Addresses of other pages that path matches, too.
	Files  []string            `json:"files"`
	Texts  map[string][]string `json:"texts"` // By language.

	path *regexp.Regexp
}

// readPreloads reads the build's list. A build without pages has none.
func readPreloads(dist fs.FS) ([]preload, error) {
	raw, err := fs.ReadFile(dist, ".vite/preloads.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var list []preload
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("preloads.json: %w", err)
	}
	for i, n := range list {
		if list[i].path, err = regexp.Compile(n.Path); err != nil {
			return nil, fmt.Errorf("preloads.json: %w", err)
		}
	}
	return list, nil
}

// preloadLinks returns HTML that lets a browser load what path needs while it parses the page. Only the browser knows
// the chosen language, so all texts are named, and a script of index.html links those of one language.
func preloadLinks(list []preload, path string) string {
	var files []string
	texts := map[string][]string{}
	for _, n := range list {
		if !n.path.MatchString(path) || slices.Contains(n.Except, strings.TrimSuffix(path, "/")) {
			continue
		}
		files = join(files, n.Files)
		for language, of := range n.Texts {
			texts[language] = join(texts[language], of)
		}
	}
	var b strings.Builder
	for _, file := range files {
		kind := `rel="modulepreload"`
		if strings.HasSuffix(file, ".css") {
			kind = `rel="preload" as="style"`
		}
		fmt.Fprintf(&b, `<link %s crossorigin href="/%s">`, kind, html.EscapeString(file))
	}
	for _, language := range []string{"zh-CN", "en"} {
		if len(texts[language]) > 0 {
			fmt.Fprintf(&b, `<meta name="texts" lang="%s" content="/%s">`, language,
				html.EscapeString(strings.Join(texts[language], " /")))
		}
	}
	return b.String()
}

// join appends what the list does not contain yet.
func join(list, more []string) []string {
	for _, one := range more {
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}
