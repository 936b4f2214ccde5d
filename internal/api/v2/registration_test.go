package v2_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/approval"
	"airstrip/internal/permission"
)

func TestRegistration_OperationThatIsNotGuardedAsItsPathDemands_Panics(t *testing.T) {
	named := func(o v2.Op) v2.Op { return o.Named("test", "Test") }
	for name, op := range map[string]func() v2.Op{
		"staff operation without permission":       func() v2.Op { return v2.StaffOp("GET /staff/x", "") },
		"staff operation with unknown permission":  func() v2.Op { return v2.StaffOp("GET /staff/x", "x.read") },
		"act that needs another permission":        func() v2.Op { return v2.StaffOp("POST /staff/x", permission.NodeRead, approval.OrderRefund) },
		"path of staff for anybody":                func() v2.Op { return v2.PublicOp("GET /staff/x") },
		"path of staff for users":                  func() v2.Op { return v2.UserOp("GET /staff/x") },
		"path of the original's staff for users":   func() v2.Op { return v2.UserOp("GET /admin_api/x") },
		"path of users for anybody":                func() v2.Op { return v2.PublicOp("GET /user/x") },
		"path of users for staff":                  func() v2.Op { return v2.StaffOp("GET /user/x", permission.NodeRead) },
		"path of nobody in particular for staff":   func() v2.Op { return v2.StaffOp("GET /x", permission.NodeRead) },
		"operation that does not say who may call": func() v2.Op { return v2.Op{} },
	} {
		if !registrationPanics(func() v2.Op { return named(op()) }) {
			t.Errorf("%s: it was registered", name)
		}
	}
	if !registrationPanics(func() v2.Op { return v2.UserOp("GET /user/x") }) {
		t.Error("operation without a name: it was registered")
	}
	for _, op := range []func() v2.Op{
		func() v2.Op { return v2.PublicOp("GET /x") },
		func() v2.Op { return v2.UserOp("GET /user/x") },
		func() v2.Op { return v2.UserOp("POST /auth/x") },
		func() v2.Op { return v2.StaffOp("GET /staff/x", permission.NodeRead) },
	} {
		if registrationPanics(func() v2.Op { return named(op()) }) {
			t.Errorf("%+v was refused", op())
		}
	}
}

func TestRegistration_SecondOperationOfAName_Panics(t *testing.T) {
	twice := func() {
		serveOps(v2.UserOp("GET /user/x").Named("x", "X"), v2.UserOp("GET /user/y").Named("x", "Y"))
	}
	if !panics(twice) {
		t.Error("two operations have one name")
	}
}

// The packages public, user and staff register operations of their own kind only.
func TestRegistration_EachPackage_HasOperationsOfItsOwnKind(t *testing.T) {
	for folder, constructor := range map[string]string{"public": "PublicOp", "user": "UserOp", "staff": "StaffOp"} {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range regexp.MustCompile(`v2\.(\w+Op)\(`).FindAllSubmatch(source, -1) {
				count++
				if string(found[1]) != constructor {
					t.Errorf("%s registers a %s", file, found[1])
				}
			}
		}
		if count == 0 {
			t.Errorf("package %s registers nothing", folder)
		}
	}
}

func registrationPanics(op func() v2.Op) bool {
	return panics(func() { serveOps(op()) })
}

// serveOps registers operations that do nothing.
func serveOps(ops ...v2.Op) {
	v2.New(http.NewServeMux(), "1", nil, func(r *v2.Router) {
		for _, o := range ops {
			v2.Handle(r, o, func(context.Context, account.Identity, *struct{}) (v2.Empty, error) {
				return v2.Empty{}, nil
			})
		}
	})
}

func panics(fn func()) (did bool) {
	defer func() { did = recover() != nil }()
	fn()
	return false
}
