package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestFaults_HaveCodesOfTheirOwn walks all faults that the module makes. Programs tell faults apart by their codes, and
// so does errors.Is: a code that two faults share makes one of them pass for the other. The faults of single fields
// share the code of wrong input; those with a name differ by their field and its code.
func TestFaults_HaveCodesOfTheirOwn(t *testing.T) {
	places := map[string][]string{}
	files := token.NewFileSet()
	err := filepath.WalkDir("internal", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		walk := faultWalk{inFault: filepath.Dir(path) == filepath.Join("internal", "fault")}
		for _, declaration := range file.Decls {
			walk.named = false
			if general, ok := declaration.(*ast.GenDecl); ok {
				walk.named = general.Tok == token.VAR
			}
			ast.Inspect(declaration, func(n ast.Node) bool {
				for _, code := range walk.codes(n) {
					places[code] = append(places[code], files.Position(n.Pos()).String())
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(places) < 100 {
		t.Fatalf("only %d faults were found", len(places))
	}
	for code, found := range places {
		if len(found) > 1 {
			t.Errorf("the faults with the code %s, which must be one: %s", code, strings.Join(found, ", "))
		}
	}
}

// faultWalk finds what makes faults in the syntax of a file.
type faultWalk struct {
	inFault bool // in package fault itself
	named   bool // in the declaration of a variable of a package, so that errors.Is may ask for it
}

var faultConstructors = map[string]bool{
	"BadRequest": true, "Unauthorized": true, "Forbidden": true, "NotFound": true, "Conflict": true,
	"TooMany": true, "Unavailable": true, "Unprocessable": true,
}

// codes returns the code of the fault that n makes; none where it makes none.
func (w faultWalk) codes(n ast.Node) []string {
	switch n := n.(type) {
	case *ast.CallExpr:
		name, ok := w.of(n.Fun)
		switch {
		case ok && faultConstructors[name]:
			return literals(n.Args[0])
		case ok && w.inFault && name == "of":
			return literals(n.Args[1])
		case ok && w.named && name == "Invalid":
			if parts := literals(n.Args[0], n.Args[1]); len(parts) == 2 {
				return []string{"invalid_input " + strings.Join(parts, " ")}
			}
		}
	case *ast.CompositeLit:
		if name, ok := w.of(n.Type); ok && name == "Error" {
			for _, element := range n.Elts {
				if pair, ok := element.(*ast.KeyValueExpr); ok {
					if key, ok := pair.Key.(*ast.Ident); ok && key.Name == "Code" {
						return literals(pair.Value)
					}
				}
			}
		}
	}
	return nil
}

// of returns the name of what package fault declares and e names.
func (w faultWalk) of(e ast.Expr) (name string, ok bool) {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name, w.inFault
	case *ast.SelectorExpr:
		of, ok := e.X.(*ast.Ident)
		return e.Sel.Name, ok && of.Name == "fault"
	}
	return "", false
}

// literals returns the values of those of the expressions that are texts written out.
func literals(expressions ...ast.Expr) (values []string) {
	for _, e := range expressions {
		if literal, ok := e.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if value, err := strconv.Unquote(literal.Value); err == nil {
				values = append(values, value)
			}
		}
	}
	return values
}
