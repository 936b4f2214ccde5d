package main_test

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

const maxColumns = 120

// A line of Go has at most 120 columns, a tab counting as four. Literals and struct tags do not count: they cannot
// always be broken.
func TestGoFiles_LinesFitTheScreen(t *testing.T) {
	count := eachGoFile(t, func(path string, source []byte) {
		for i, line := range strings.Split(withoutLiterals(source), "\n") {
			if n := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")); n > maxColumns {
				t.Errorf("%s:%d has %d columns, of %d", path, i+1, n, maxColumns)
			}
		}
	})
	if count < 300 {
		t.Fatalf("only %d files were read", count)
	}
}

// disabledCode matches a comment without a space before its text, which is no directive: a line that was taken out.
var disabledCode = regexp.MustCompile(`(?m)^\s*//(?:[a-z]+[.(\[ ]|[A-Z}])`)

func TestGoFiles_HaveNoCodeInComments(t *testing.T) {
	eachGoFile(t, func(path string, source []byte) {
		for _, found := range disabledCode.FindAllString(withoutLiterals(source), -1) {
			t.Errorf("%s has code in a comment: %s", path, strings.TrimSpace(found))
		}
	})
}

// eachGoFile calls fn for every file of Go that people wrote, and returns their number.
func eachGoFile(t *testing.T, fn func(path string, source []byte)) (count int) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		if entry.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil || bytes.HasPrefix(source, []byte("// Code generated")) {
			return err
		}
		count++
		fn(path, source)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// withoutLiterals gives source without the text of its strings, which keep their line breaks.
func withoutLiterals(source []byte) string {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(source))
	var tokens scanner.Scanner
	tokens.Init(file, source, nil, 0)
	var rest strings.Builder
	end := 0
	for {
		position, kind, text := tokens.Scan()
		if kind == token.EOF {
			rest.Write(source[end:])
			return rest.String()
		}
		if kind != token.STRING {
			continue
		}
		start := file.Offset(position)
		rest.Write(source[end:start])
		rest.WriteString(strings.Repeat("\n", strings.Count(text, "\n")))
		end = start + len(text)
	}
}
