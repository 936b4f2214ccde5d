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

// mayDetach are the files of the server that may call context.WithoutCancel: the one that always adds a deadline, and
// the one that reads a row of SQLite from this machine's disk.
var mayDetach = []string{"internal/detached/detached.go", "internal/db/prepared.go"}

// Work that outlives its request uses package detached, which always adds a deadline. The agent, which is a module of
// its own, adds a timeout where it detaches. In internal every context derives from that of main.
func TestContexts_AllHaveAnEnd(t *testing.T) {
	files := 0
	for _, folder := range []string{"internal", "agent"} {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			own, _ := filepath.Rel("internal", filepath.Dir(path))
			if slices.Contains(forTests, own) {
				return nil
			}
			files++
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
	if files < 100 {
		t.Fatalf("only %d files were read", files)
	}
}

func TestContexts_WithoutEnd_AreFound(t *testing.T) {
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

// endlessContexts returns where the file makes a context that never ends. In the agent a context may begin, and a
// timeout around WithoutCancel is enough.
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

// selected returns the name that expr selects from the package called name, or an empty text.
func selected(expr ast.Expr, name string) string {
	if s, ok := expr.(*ast.SelectorExpr); ok {
		if p, ok := s.X.(*ast.Ident); ok && p.Name == name {
			return s.Sel.Name
		}
	}
	return ""
}
