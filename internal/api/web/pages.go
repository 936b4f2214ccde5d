package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// pages holds the addresses of the app's pages, split into segments. A segment that begins with $ matches any text.
type pages [][]string

// readPages reads the list that the build derives from the app's routes (web/tools/page-addresses.ts). A build without
// pages has no list; one with index.html but without the list is invalid.
func readPages(dist fs.FS) (pages, error) {
	if _, err := fs.Stat(dist, "index.html"); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	raw, err := fs.ReadFile(dist, ".vite/pages.json")
	if err != nil {
		return nil, fmt.Errorf("the web app was built by another version, make web builds it again: %w", err)
	}
	var addresses []string
	if err := json.Unmarshal(raw, &addresses); err != nil {
		return nil, fmt.Errorf("pages.json: %w", err)
	}
	list := make(pages, 0, len(addresses))
	for _, address := range addresses {
		list = append(list, parts(address))
	}
	return list, nil
}

func parts(address string) []string {
	return strings.Split(strings.Trim(address, "/"), "/")
}

// has reports whether the app has a page at path. As in the app's router, case and a trailing slash do not matter.
func (p pages) has(path string) bool {
	asked := parts(path)
	for _, page := range p {
		if matches(page, asked) {
			return true
		}
	}
	return false
}

func matches(page, asked []string) bool {
	if len(page) != len(asked) {
		return false
	}
	for i, part := range page {
		varies := strings.HasPrefix(part, "$") && asked[i] != ""
		if !varies && !strings.EqualFold(part, asked[i]) {
			return false
		}
	}
	return true
}

// isBrowser reports whether the caller opens a page: only then do browsers accept text/html. Programs, scripts and
// images do not.
func isBrowser(r *http.Request) bool {
	for _, header := range r.Header.Values("Accept") {
		for one := range strings.SplitSeq(header, ",") {
			kind, params, err := mime.ParseMediaType(one)
			if err != nil || kind != "text/html" && kind != "application/xhtml+xml" {
				continue
			}
			if weight, err := strconv.ParseFloat(params["q"], 64); params["q"] == "" || err == nil && weight > 0 {
				return true
			}
		}
	}
	return false
}
