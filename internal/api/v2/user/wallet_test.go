package user_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"testing"

	v2 "airstrip/internal/api/v2"
	"airstrip/internal/api/v2/user"
	"airstrip/internal/wallet"
)

func TestMovements_EveryReasonOfAWallet_HasAFilterAndAName(t *testing.T) {
	text, err := v2.New(http.NewServeMux(), "1", nil, user.Wallet(nil, nil, nil, nil, nil)).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	type schema struct {
		Enum       []string
		Properties map[string]struct{ Enum []string }
	}
	var contract struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Name   string
				Schema schema
			}
		}
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal(text, &contract); err != nil {
		t.Fatal(err)
	}
	var filter []string
	for _, parameter := range contract.Paths["/api/v2/user/wallet/movements"]["get"].Parameters {
		if parameter.Name == "reason" {
			filter = parameter.Schema.Enum
		}
	}
	var reasons []string
	for _, reason := range wallet.MovementReasons {
		reasons = append(reasons, string(reason))
	}
	slices.Sort(reasons)
	for name, got := range map[string][]string{
		"the filter":         filter,
		"a movement":         contract.Components.Schemas["MovementItem"].Properties["reason"].Enum,
		"the names of those": slices.Collect(maps.Keys(user.MovementNames())),
	} {
		if slices.Sort(got); !slices.Equal(got, reasons) {
			t.Errorf("%s has the reasons\n%v, wallets move for\n%v", name, got, reasons)
		}
	}
	for reason, name := range user.MovementNames() {
		if name.ZH == "" || name.EN == "" {
			t.Errorf("%s has no name in one of the languages: %+v", reason, name)
		}
	}
}
