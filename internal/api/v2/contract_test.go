package v2_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"airstrip/internal/db/dbtest"
)

func TestTheContractIsServedAndSentOnce(t *testing.T) {
	p := serve(t, dbtest.SQLite(t))
	ask := func(etag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/api/v2/openapi.json", nil)
		r.Header.Set("If-None-Match", etag)
		w := httptest.NewRecorder()
		p.handler.ServeHTTP(w, r)
		return w
	}
	first := ask("")
	var contract struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			Scope string `json:"x-api-token-scope"`
		}
	}
	if err := json.Unmarshal(first.Body.Bytes(), &contract); err != nil || first.Code != 200 {
		t.Fatalf("%d, %v", first.Code, err)
	}
	if contract.OpenAPI != "3.1.0" || contract.Paths["/api/v2/user/developer/tokens"] == nil {
		t.Errorf("%q with %d paths", contract.OpenAPI, len(contract.Paths))
	}
	for path, want := range map[string]string{
		"/api/v2/user/get_me": "read", "/api/v2/user/developer/tokens": "",
		"/api/v2/user/account/me": "",
	} {
		if got := contract.Paths[path]["get"].Scope; got != want {
			t.Errorf("%s asks of an API token the scope %q", path, got)
		}
	}
	if again := ask(first.Header().Get("ETag")); again.Code != 304 || again.Body.Len() != 0 {
		t.Errorf("the same again: %d, %d bytes", again.Code, again.Body.Len())
	}
}
