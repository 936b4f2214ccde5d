package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayDetach are the files of the server that may call context.WithoutCancel: the one that always adds an end, and the one
// that asks SQLite for a row of this machine's disk.
var mayDetach = []string{"internal/detached/detached.go", "internal/db/prepared.go"}

// TestNoContextIsWithoutEnd keeps away contexts that nobody ends. Work that outlives its request uses package detached. The
// agent, which is a module of its own, adds a timeout on the spot. In internal no context begins but that of main.
func TestNoContextIsWithoutEnd(t *testing.T) {
	seen := 0
	for _, folder := range []string{"internal", "agent"} {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			own, _ := filepath.Rel("internal", filepath.Dir(path))
			if slices.Contains(forTests, own) {
				return nil
			}
			seen++
			for _, found := range endlessContexts(t, path, nil, folder == "agent") {
				if !slices.Contains(mayDetach, path) {
					t.Errorf("%s has no end; see package detached", found)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 100 {
		t.Fatalf("only %d files were read", seen)
	}
}

func TestNoContextIsWithoutEnd_FindsEachKind(t *testing.T) {
	const text = `package p
import ctx2 "context"
func f(ctx ctx2.Context) {
	_ = ctx2.WithoutCancel(ctx)
	_ = ctx2.Background()
	_, _ = ctx2.WithTimeout(ctx2.WithoutCancel(ctx), 1)
	g := ctx2.WithoutCancel
}`
	for agent, want := range map[bool]int{false: 4, true: 2} {
		if found := endlessContexts(t, "p.go", text, agent); len(found) != want {
			t.Errorf("in the agent %t: %v, want %d", agent, found, want)
		}
	}
}

// endlessContexts gives where the file makes a context without an end. The agent's own roots are its business, and there a
// timeout around the call is enough.
func endlessContexts(t *testing.T, path string, text any, agent bool) (found []string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	name := ""
	for _, i := range file.Imports {
		if i.Path.Value != `"context"` {
			continue
		}
		if name = "context"; i.Name != nil {
			name = i.Name.Name
		}
	}
	if name == "" {
		return nil
	}
	bounded := map[ast.Node]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && agent && selected(call.Fun, name) == "WithTimeout" {
			if inner, ok := call.Args[0].(*ast.CallExpr); ok {
				bounded[inner.Fun] = true
			}
		}
		expr, ok := n.(ast.Expr)
		if !ok || bounded[n] {
			return true
		}
		switch what := selected(expr, name); {
		case what == "WithoutCancel", !agent && (what == "Background" || what == "TODO"):
			found = append(found, files.Position(n.Pos()).String()+": context."+what)
		}
		return true
	})
	return found
}

// selected gives what expr takes from the package called name.
func selected(expr ast.Expr, name string) string {
	if s, ok := expr.(*ast.SelectorExpr); ok {
		if p, ok := s.X.(*ast.Ident); ok && p.Name == name {
			return s.Sel.Name
		}
	}
	return ""
}
