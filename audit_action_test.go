package main_test

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"airstrip/internal/approval"
	"airstrip/internal/audit"
	"airstrip/internal/permission"
)

// computedActions are the actions that no text in the source names, by the package that records them and the
// expression that computes them.
var computedActions = map[string][]string{
	"approval string(act.Kind.Permission())": permissionsOfActs(),
	`assignment string(t.Decides) + ".assign"`: {
		string(permission.CaseDecide) + ".assign", string(permission.CommissionPay) + ".assign",
		string(permission.Refund) + ".assign",
	},
}

func permissionsOfActs() (actions []string) {
	for _, kind := range approval.Kinds {
		actions = append(actions, string(kind.Permission()))
	}
	return actions
}

// TestAuditActions_AllHaveWords finds each action that the server records in the audit log, and wants words for it in
// both languages. The table of them has no action that nothing records, and no words twice.
func TestAuditActions_AllHaveWords(t *testing.T) {
	packages := packagesOf(t)
	recorded := recordedActions(t, packages)
	if len(recorded) < 100 {
		t.Fatalf("only %d actions were found", len(recorded))
	}
	for action, place := range recorded {
		if says := audit.ActionText(action); says.ZH == "" || says.EN == "" {
			t.Errorf("%s records %s, which has no words in internal/audit/action.go", place, action)
		}
	}
	said := map[string]string{}
	for _, action := range packages["internal/audit"].keys("actionTexts") {
		if recorded[action] == "" {
			t.Errorf("internal/audit/action.go has words for %s, which nothing records", action)
		}
		says := audit.ActionText(action)
		for _, words := range []string{says.ZH, says.EN} {
			if other, twice := said[words]; twice {
				t.Errorf("the actions %s and %s have the same words: %s", action, other, words)
			}
			said[words] = action
		}
	}
	if len(said) < 200 {
		t.Fatalf("only %d words were found", len(said))
	}
}

// recordedActions gives the actions of the server, each with a place that records it.
func recordedActions(t *testing.T, packages map[string]*sourcePackage) map[string]string {
	t.Helper()
	places, unused := map[string]string{}, maps.Clone(computedActions)
	for _, p := range packages {
		for _, action := range p.recorded() {
			place := p.files.Position(action.Pos()).String()
			actions, ok := p.texts(action.Expr, action.in, 0)
			if !ok {
				computed := p.name + " " + p.source(action)
				if actions, ok = computedActions[computed]; !ok {
					t.Errorf("%s records what this test cannot read; name its values in computedActions as %q", place,
						computed)
				}
				delete(unused, computed)
			}
			for _, action := range actions {
				places[action] = place
			}
		}
	}
	for computed := range unused {
		t.Errorf("computedActions has %q, which nothing records", computed)
	}
	return places
}

func TestRecordedActions_FindsEachWayToNameAnAction(t *testing.T) {
	const text = `package p
import "airstrip/internal/audit"
const kept = "of.constant"
func f(ctx context.Context, tx bun.Tx) {
	audit.Record(ctx, tx, "of.literal", o, nil, nil, "")
	audit.Note(ctx, kept, o, nil, "")
	const own = "own"
	g(audit.Recording(string(own)+".recording", o, nil, nil))
	action := "of.variable"
	if one {
		action = "of.assignment"
	}
	audit.Note(ctx, action, o, nil, "")
	x.change(ctx, "parameter")
	x.change(ctx, "argument")
	audit.Find(ctx, "of.nothing")
}
func (x *X) change(ctx context.Context, action string) { record(ctx, "of."+action) }
func record(ctx context.Context, action string) {
	return func() { audit.Note(ctx, action, o, nil, "") }
}
func h(ctx context.Context, kind Kind) { audit.Note(ctx, kind.action(), o, nil, "") }`
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := newSourcePackage("p", files)
	p.add(file)
	var found, unknown []string
	for _, action := range p.recorded() {
		actions, ok := p.texts(action.Expr, action.in, 0)
		if found = append(found, actions...); !ok {
			unknown = append(unknown, p.source(action))
		}
	}
	want := []string{
		"of.literal", "of.constant", "own.recording", "of.variable", "of.assignment", "of.parameter", "of.argument",
	}
	if !slices.Equal(slices.Sorted(slices.Values(found)), slices.Sorted(slices.Values(want))) {
		t.Errorf("found %v, want %v", found, want)
	}
	if !slices.Equal(unknown, []string{"kind.action()"}) {
		t.Errorf("could not read %v", unknown)
	}
}

// A sourcePackage is the syntax of the files of one package.
type sourcePackage struct {
	name      string
	files     *token.FileSet
	functions []*ast.FuncDecl
	constants map[string]ast.Expr
	variables map[string]ast.Expr
	all       map[string]*sourcePackage // of the server, by folder
}

// packagesOf reads the packages of the server, by their folders.
func packagesOf(t *testing.T) map[string]*sourcePackage {
	t.Helper()
	found := map[string]*sourcePackage{}
	eachSourceFile(t, func(path, _ string, files *token.FileSet, file *ast.File) {
		folder := filepath.Dir(path)
		p := found[folder]
		if p == nil {
			p = newSourcePackage(file.Name.Name, files)
			p.all = found
			found[folder] = p
		}
		p.add(file)
	})
	return found
}

func newSourcePackage(name string, files *token.FileSet) *sourcePackage {
	return &sourcePackage{
		name: name, files: files, constants: map[string]ast.Expr{}, variables: map[string]ast.Expr{},
	}
}

func (p *sourcePackage) add(file *ast.File) {
	for _, declared := range file.Decls {
		switch d := declared.(type) {
		case *ast.FuncDecl:
			p.functions = append(p.functions, d)
		case *ast.GenDecl:
			to := p.variables
			if d.Tok == token.CONST {
				to = p.constants
			}
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) == len(v.Names) {
					for i, name := range v.Names {
						to[name.Name] = v.Values[i]
					}
				}
			}
		}
	}
}

// keys returns the keys of the map that a variable of the package is declared as.
func (p *sourcePackage) keys(variable string) (keys []string) {
	made, _ := p.variables[variable].(*ast.CompositeLit)
	if made == nil {
		return nil
	}
	for _, e := range made.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			keys = append(keys, literals(pair.Key)...)
		}
	}
	return keys
}

// An expression stands in a function, or outside of any.
type expression struct {
	ast.Expr
	in *ast.FuncDecl
}

// recordedAt is which argument of the functions of package audit is the action.
var recordedAt = map[string]int{"Record": 2, "Note": 1, "Recording": 0}

// recorded returns the actions that the package gives to the audit log.
func (p *sourcePackage) recorded() (actions []expression) {
	for _, f := range p.functions {
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if at, ok := recordedAt[selected(call.Fun, "audit")]; ok {
					actions = append(actions, expression{call.Args[at], f})
				}
			}
			return true
		})
	}
	return actions
}

// texts returns all values that an expression in a function may have; not ok where the source does not say so.
func (p *sourcePackage) texts(e ast.Expr, in *ast.FuncDecl, depth int) (values []string, ok bool) {
	if depth++; depth > 10 {
		return nil, false
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		values = literals(e)
	case *ast.BinaryExpr:
		left, leftRead := p.texts(e.X, in, depth)
		right, rightRead := p.texts(e.Y, in, depth)
		for _, l := range left {
			for _, r := range right {
				values = append(values, l+r)
			}
		}
		return values, leftRead && rightRead
	case *ast.CallExpr: // string(x)
		if f, isName := e.Fun.(*ast.Ident); isName && f.Name == "string" {
			return p.texts(e.Args[0], in, depth)
		}
	case *ast.SelectorExpr:
		for _, other := range p.all {
			if value, known := other.constants[selected(e, other.name)]; known {
				return other.texts(value, nil, depth)
			}
		}
	case *ast.Ident:
		return p.named(e.Name, in, depth)
	}
	return values, len(values) > 0
}

// named returns the values of a variable or parameter of the function, or of a constant.
func (p *sourcePackage) named(name string, in *ast.FuncDecl, depth int) (values []string, ok bool) {
	set := p.given(name, in)
	if constant, known := p.constants[name]; known && len(set) == 0 {
		set = []expression{{constant, nil}}
	}
	ok = len(set) > 0
	for _, e := range set {
		more, read := p.texts(e.Expr, e.in, depth)
		values, ok = append(values, more...), ok && read
	}
	return values, ok
}

// given returns what the function sets a variable to, and what the package passes to functions of its name as this
// parameter.
func (p *sourcePackage) given(name string, in *ast.FuncDecl) (set []expression) {
	if in == nil {
		return nil
	}
	ast.Inspect(in, func(n ast.Node) bool {
		var names, values []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			names, values = n.Lhs, n.Rhs
		case *ast.ValueSpec:
			for _, declared := range n.Names {
				names = append(names, declared)
			}
			values = n.Values
		}
		for i, to := range names {
			if to, isName := to.(*ast.Ident); isName && to.Name == name && len(values) == len(names) {
				set = append(set, expression{values[i], in})
			}
		}
		return true
	})
	at := parameterAt(in, name)
	if at < 0 {
		return set
	}
	for _, f := range p.functions {
		ast.Inspect(f, func(n ast.Node) bool {
			if call, isCall := n.(*ast.CallExpr); isCall && len(call.Args) > at && calledName(call) == in.Name.Name {
				set = append(set, expression{call.Args[at], f})
			}
			return true
		})
	}
	return set
}

// parameterAt returns which parameter of the function has the name; -1: none.
func parameterAt(f *ast.FuncDecl, name string) int {
	at := 0
	for _, field := range f.Type.Params.List {
		for _, n := range field.Names {
			if n.Name == name {
				return at
			}
			at++
		}
	}
	return -1
}

func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// source returns an expression as it is written.
func (p *sourcePackage) source(e expression) string {
	var out strings.Builder
	if err := printer.Fprint(&out, p.files, e.Expr); err != nil {
		panic(err)
	}
	return out.String()
}
