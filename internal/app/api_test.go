package app

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestTheContractOnDiskIsTheOneInTheCode(t *testing.T) {
	code, err := Contract()
	if err != nil {
		t.Fatal(err)
	}
	disk, err := os.ReadFile("../../openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(code, disk) {
		t.Error("openapi.json is not current; run make gen")
	}
}

func TestEveryOperationDeclaresWhoMayCallIt(t *testing.T) {
	code, err := Contract()
	if err != nil {
		t.Fatal(err)
	}
	var contract struct {
		Paths map[string]map[string]struct {
			OperationID string
			Summary     string
			Tags        []string
			Security    []map[string][]string
		}
	}
	if err := json.Unmarshal(code, &contract); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for path, methods := range contract.Paths {
		for method, o := range methods {
			where := strings.ToUpper(method) + " " + path
			if o.OperationID == "" || o.Summary == "" || len(o.Tags) != 1 {
				t.Errorf("%s lacks an id, a summary or its one tag", where)
				continue
			}
			if other, twice := seen[o.OperationID]; twice {
				t.Errorf("%s and %s are both called %s", where, other, o.OperationID)
			}
			seen[o.OperationID] = where
			if signedIn := len(o.Security) == 1; signedIn != (o.Tags[0] != "public") {
				t.Errorf("%s is tagged %s but its security is %v", where, o.Tags[0], o.Security)
			}
			forStaff := strings.HasPrefix(path, "/api/v2/staff/") || strings.HasPrefix(path, "/api/v2/admin_api/")
			if forStaff != (o.Tags[0] == "staff") {
				t.Errorf("%s is tagged %s", where, o.Tags[0])
			}
		}
	}
	if len(seen) == 0 {
		t.Error("the contract has no operations")
	}
}
