package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// leavesNothing matches the actions after which the database no longer has what was there before, so that the audit log
// must say it.
var leavesNothing = regexp.MustCompile(`\.(remove|set|change|replace|void|lift|role)$`)

// Each call of audit.Record whose action removes or replaces something gives what was there before.
func TestAudit_RemovalsAndReplacements_RecordWhatWasThere(t *testing.T) {
	calls, files := 0, token.NewFileSet()
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "agent" || entry.Name() == "web") {
			return fs.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 7 {
				return true
			}
			fn, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || fn.Sel.Name != "Record" {
				return true
			}
			if from, ok := fn.X.(*ast.Ident); !ok || from.Name != "audit" {
				return true
			}
			action, ok := call.Args[2].(*ast.BasicLit)
			if !ok {
				return true // what approvals record is an act, and has no before
			}
			name, err := strconv.Unquote(action.Value)
			if err != nil {
				t.Error(err)
			}
			if !leavesNothing.MatchString(name) {
				return true
			}
			calls++
			if before, ok := call.Args[4].(*ast.Ident); ok && before.Name == "nil" {
				t.Errorf("%s: %s does not record what was there before", files.Position(call.Pos()), name)
			}
			return true
		})
		return nil
	})
	if err != nil || calls < 15 {
		t.Errorf("found %d calls, %v", calls, err)
	}
}
