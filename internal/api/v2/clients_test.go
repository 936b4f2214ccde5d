package v2_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"airstrip/internal/account"
	"airstrip/internal/account/accounttest"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/api/v2/staff"
	"airstrip/internal/api/v2/user"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/guide"
	"airstrip/internal/link"
	"airstrip/internal/node"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
)

// catalogue is the operations on the catalogue of clients. A bearer token is a role of staff, or "user".
type catalogue struct {
	*testing.T
	handler http.Handler
}

func newCatalogue(t *testing.T, d *db.DB) *catalogue {
	t.Helper()
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	services := service.New(d, seal.Key{1}, settings)
	links := link.New(d, seal.Key{1}, settings, "https://site.example", nil, services, node.New(d, seal.Key{1},
		settings, services), nil)
	guides, err := guide.New(t.Context(), d, settings, links, "https://site.example")
	if err != nil {
		t.Fatal(err)
	}
	accounttest.Add(t, d, account.Owner, 9)
	mux := http.NewServeMux()
	v2.New(mux, "1", func(_ context.Context, bearer string) (account.Identity, error) {
		return account.Identity{UserID: 9, Proved: true, Role: account.Role(strings.TrimPrefix(bearer, "user"))}, nil
	}, staff.Clients(links), user.Clients(links, guides))
	return &catalogue{t, api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler()}
}

func (c *catalogue) ask(role account.Role, method, path, body string) (int, string) {
	c.Helper()
	r := httptest.NewRequest(method, "/api/v2/"+path, strings.NewReader(body))
	r.Header.Set("If-Match", "*")
	r.Header.Set("Authorization", "Bearer "+string(role))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept-Language", "en")
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func (c *catalogue) must(role account.Role, method, path, body string) string {
	c.Helper()
	status, got := c.ask(role, method, path, body)
	if status != http.StatusOK {
		c.Fatalf("%s %s: %d %s", method, path, status, got)
	}
	return got
}

// ids returns the clients of a list in their order.
func (c *catalogue) ids(role account.Role, path string) (ids []string) {
	c.Helper()
	var list struct {
		Result []struct{ ID string } `json:"result_list"`
	}
	if err := json.Unmarshal([]byte(c.must(role, "GET", path, "")), &list); err != nil {
		c.Fatal(err)
	}
	for _, a := range list.Result {
		ids = append(ids, a.ID)
	}
	return ids
}

const (
	ownClient = `"name":"Own","icon":"🛫","platforms":["ios","windows"],"import_url":"own://add?url={url}","download_url":"https://own.example/get","formats":["ClashMeta"],"sort":1`
	forUsers  = "user/services/clients"
	forStaff  = "staff/clients"
)

func TestStaffDecideWhichClientsUsersAreOffered(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newCatalogue(t, d)
		before := c.ids("user", forUsers)
		c.must(account.Admin, "POST", forStaff, `{"id":"own",`+ownClient+`,"is_enabled":false}`)
		if got := c.ids("user", forUsers); !slices.Equal(got, before) {
			t.Errorf("users see a client that is turned off: %q", got)
		}
		if got := c.ids(account.Viewer, forStaff); !slices.Equal(got, append([]string{"own"}, before...)) {
			t.Errorf("staff see %q", got)
		}
		c.must(account.Owner, "PUT", forStaff+"/own", `{`+strings.Replace(ownClient, `"sort":1`, `"sort":1000`,
			1)+`,"is_enabled":true}`)
		if got := c.ids("user", forUsers); !slices.Equal(got, append(slices.Clone(before), "own")) {
			t.Errorf("turned on and last, users see %q", got)
		}
		if got := c.must("user", "GET", forUsers, ""); !strings.Contains(got, `"import_url":"own://add?url={url}"`) ||
			!strings.Contains(got, `"icon":"🛫"`) {
			t.Error(got)
		}
		c.must(account.Admin, "DELETE", forStaff+"/own", "")
		if got := c.ids(account.Support, forStaff); !slices.Equal(got, before) {
			t.Errorf("removed, staff see %q", got)
		}
	})
}

func TestTheCatalogueNamesWhatIsWrong(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newCatalogue(t, d)
		body := `{` + ownClient + `,"is_enabled":true}`
		created := `{"id":"own",` + ownClient + `,"is_enabled":true}`
		c.must(account.Admin, "POST", forStaff, created)
		if status, got := c.ask(account.Admin, "POST", forStaff, created); status != 422 ||
			!strings.Contains(got, `"field":"id"`) {
			t.Errorf("a second of one id: %d %s", status, got)
		}
		// runs something, or shows the link to another site
		for _, scheme := range []string{"javascript://", "https://", "http://", "intent://", "mailto:a?", "tg://", "smsto:"} {
			if status, got := c.ask(account.Admin, "PUT", forStaff+"/own", strings.Replace(body, "own://", scheme,
				1)); status != 422 || !strings.Contains(got, `"field":"import_url"`) {
				t.Errorf("an import address of %s: %d %s", scheme, status, got)
			}
		}
		for _, method := range []string{"PUT", "DELETE"} {
			if status, got := c.ask(account.Admin, method, forStaff+"/nothing", body); status != 404 ||
				!strings.Contains(got, "client_not_found") {
				t.Errorf("%s: %d %s", method, status, got)
			}
		}
	})
}

func TestOnlyOwnersAndAdminsChangeTheCatalogue(t *testing.T) {
	c := newCatalogue(t, dbtest.SQLite(t))
	before := c.ids("user", forUsers)
	for _, role := range []account.Role{account.Support, account.Viewer, "user"} {
		for method, path := range map[string]string{
			"POST": forStaff, "PUT": forStaff + "/" + before[0],
			"DELETE": forStaff + "/" + before[0],
		} {
			body := `{` + ownClient + `,"is_enabled":true}`
			if method == "POST" {
				body = `{"id":"own",` + ownClient + `,"is_enabled":true}`
			}
			if status, _ := c.ask(role, method, path, body); status != http.StatusForbidden {
				t.Errorf("%s by %q: %d", method, role, status)
			}
		}
	}
	if status, _ := c.ask("user", "GET", forStaff, ""); status != http.StatusForbidden {
		t.Errorf("a user reads the staff's list: %d", status)
	}
	if got := c.ids("user", forUsers); !slices.Equal(got, before) {
		t.Errorf("now users see %q", got)
	}
}
