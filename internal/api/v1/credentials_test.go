package v1_test

import "testing"

func TestThePasswordOnNodesIsMadeAndNeverChosen(t *testing.T) {
	s := newSite(t)
	ming := s.person("ming@example.com", "")
	s.want(s.call("POST", "/v1/user/sspwd", "", "", nil), 401, "sign_in_required")
	seen := map[any]bool{"chosen": true}
	for range 2 {
		made := s.want(s.call("POST", "/v1/user/sspwd?sspwd=chosen", ming.Access, "", nil), 200, "")["sspwd"]
		if seen[made] || len(made.(string)) < 16 {
			t.Errorf("made %v", made)
		}
		seen[made] = true
	}
}
