package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A subtest that calls FailNow of the test around it ends the whole test program, and what runs after it is never seen.
// So a function literal that has a test of its own does not use the one around it.
func TestSubtests_FailByTheirOwnT(t *testing.T) {
	found, folders := 0, map[string]bool{}
	eachGoFile(t, func(path string, _ []byte) {
		if strings.HasSuffix(path, "_test.go") {
			folders[filepath.Dir(path)] = true
		}
	})
	for folder := range folders {
		files := parseTests(t, folder)
		carriers := testCarriers(files)
		for _, file := range files {
			found++
			for _, pos := range outerTests(file.tree, carriers) {
				t.Errorf("%s uses the test around its own", file.set.Position(pos))
			}
		}
	}
	if found < 100 {
		t.Fatalf("only %d files were read", found)
	}
}

func TestSubtests_ThatFailAnother_AreFound(t *testing.T) {
	const text = `package p
type site struct { *testing.T }
func TestX(t *testing.T) {
	each(t, func(s *site) { t.Fatal(); s.Fatal() })
	t.Run("", func(inner *testing.T) { t.Error() })
	t.Run("", func(t *testing.T) { t.Error() })
	each(t, func(other *int) { t.Error() })
}`
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, "p_test.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if got := outerTests(tree, testCarriers([]parsedTest{{set, tree}})); len(got) != 2 {
		t.Errorf("%d were found, want 2", len(got))
	}
}

type parsedTest struct {
	set  *token.FileSet
	tree *ast.File
}

func parseTests(t *testing.T, folder string) (files []parsedTest) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, filepath.Join(folder, entry.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, parsedTest{set, tree})
	}
	return files
}

// testCarriers returns the names of the structs that embed a *testing.T.
func testCarriers(files []parsedTest) map[string]bool {
	names := map[string]bool{}
	for _, file := range files {
		ast.Inspect(file.tree, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range s.Fields.List {
					if len(field.Names) == 0 && isTestingT(field.Type) {
						names[spec.Name.Name] = true
					}
				}
			}
			return true
		})
	}
	return names
}

func isTestingT(expr ast.Expr) bool {
	star, ok := expr.(*ast.StarExpr)
	return ok && selected(star.X, "testing") == "T"
}

// outerTests returns where a function literal with a test of its own calls a method of its function's test.
func outerTests(file *ast.File, carriers map[string]bool) (found []token.Pos) {
	for _, declared := range file.Decls {
		fn, ok := declared.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		outer := testParameter(fn.Type, nil)
		if outer == "" {
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			literal, ok := n.(*ast.FuncLit)
			if !ok {
				return true
			}
			own := testParameter(literal.Type, carriers)
			if own == "" || own == outer {
				return own == ""
			}
			ast.Inspect(literal.Body, func(n ast.Node) bool {
				if inner, ok := n.(*ast.FuncLit); ok && testParameter(inner.Type, carriers) == outer {
					return false
				}
				if call, ok := n.(*ast.CallExpr); ok && selected(call.Fun, outer) != "" {
					found = append(found, call.Pos())
				}
				return true
			})
			return false
		})
	}
	return found
}

// testParameter returns the name of the parameter that is a *testing.T or a pointer to one of the carriers.
func testParameter(fn *ast.FuncType, carriers map[string]bool) string {
	for _, p := range fn.Params.List {
		if len(p.Names) != 1 {
			continue
		}
		star, ok := p.Type.(*ast.StarExpr)
		if !ok {
			continue
		}
		name, named := star.X.(*ast.Ident)
		if isTestingT(p.Type) || named && carriers[name.Name] {
			return p.Names[0].Name
		}
	}
	return ""
}
