package v1_test

import (
	"testing"

	"airstrip/internal/account"
)

func TestJobsAreRunByTheirTokensAndStaffAndNeverByNodes(t *testing.T) {
	s := newSite(t)
	owner, helper, ming := s.person("owner@example.com", account.Owner), s.person("help@example.com", account.Support),
		s.person("ming@example.com", "")
	jobs, _, err := s.APITokens.Create(t.Context(), owner.User.ID, account.APITokenDraft{
		Name:   "cron",
		Scopes: []account.Scope{account.ScopeJobs},
	})
	if err != nil {
		t.Fatal(err)
	}
	read, _, err := s.APITokens.Create(t.Context(), owner.User.ID, account.APITokenDraft{
		Name:   "script",
		Scopes: []account.Scope{account.ScopeRead},
	})
	if err != nil {
		t.Fatal(err)
	}
	const path = "/v1/mod_mu/check_job"
	s.want(s.call("POST", path, "", "", nil), 401, "sign_in_required")
	s.want(s.call("POST", path+"?key=nonsense", "", "", nil), 401, "sign_in_required")
	s.want(s.call("POST", path+"?key="+s.nodeSecret, "", "", nil), 403, "not_allowed")
	s.want(s.call("POST", path+"?api_token_uuid="+s.nodeSecret, "", "", nil), 401, "signed_out")
	s.want(s.call("POST", path+"?api_token_uuid="+read.String(), "", "", nil), 403, "api_token_scope")
	s.want(s.call("POST", path, ming.Access, "", nil), 403, "not_allowed")
	s.want(s.call("POST", path, helper.Access, "", nil), 403, "not_allowed")
	if s.ran != 0 {
		t.Fatal("it ran")
	}
	s.want(s.call("POST", path+"?api_token_uuid="+jobs.String()+"&is_auto_trigger=perhaps", "", "", nil), 422,
		"invalid_input")
	s.want(s.call("POST", path+"?is_auto_trigger=true&api_token_uuid="+jobs.String(), "", "", nil), 200, "")
	s.want(s.call("POST", path, jobs.String(), "", nil), 200, "")
	s.want(s.call("POST", path, owner.Access, "", nil), 200, "")
	if s.ran != 3 {
		t.Errorf("ran %d times", s.ran)
	}
}
