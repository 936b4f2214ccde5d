package v2_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/account/accounttest"
	"airstrip/internal/api"
	apilink "airstrip/internal/api/link"
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

// linkServer is the operations on links and the links themselves, for two users. A bearer token is the user's number.
// Each fill adds what else there is.
func linkServer(t *testing.T, d *db.DB, fill ...func(*service.Services, *node.Nodes)) http.Handler {
	t.Helper()
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if err := settings.Set(t.Context(), map[string]json.RawMessage{
		"link_per_minute":    json.RawMessage("1000"),
		"link_per_ip_minute": json.RawMessage("1000"),
	}); err != nil {
		t.Fatal(err)
	}
	services := service.New(d, seal.Key{1}, settings)
	nodes := node.New(d, seal.Key{1}, settings, services)
	links := link.New(d, seal.Key{1}, settings, "https://site.example", nil, services, nodes, nil)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { links.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		if err := services.Open(ctx, tx, 1); err != nil {
			return err
		}
		return services.Open(ctx, tx, 2)
	}); err != nil {
		t.Fatal(err)
	}
	for _, f := range fill {
		f(services, nodes)
	}
	guides, err := guide.New(t.Context(), d, settings, links, "https://site.example")
	if err != nil {
		t.Fatal(err)
	}
	accounttest.Add(t, d, "", 1, 2)
	mux := http.NewServeMux()
	v2.New(mux, "1", func(_ context.Context, bearer string) (account.Identity, error) {
		id, err := strconv.ParseInt(bearer, 10, 64)
		if err != nil {
			return account.Identity{}, api.ErrSignIn
		}
		return account.Identity{UserID: id}, nil
	}, user.LinkToken(links, services), staff.Clients(links), user.Clients(links, guides))
	apilink.Register(mux, links)
	return api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler()
}

func call[T any](t *testing.T, h http.Handler, user, method, path string) (result T) {
	t.Helper()
	r := httptest.NewRequest(method, "/api/v2/user/services/"+path, nil)
	r.Header.Set("Authorization", "Bearer "+user)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	body := struct {
		Result     *T `json:"result"`
		ResultList *T `json:"result_list"`
	}{&result, &result}
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return result
}

type shownLink struct {
	Token, URL  string
	URLs        []string
	LastFetchAt *string `json:"last_fetch_at"`
}

func fetchStatus(h http.Handler, url string) int {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, strings.TrimPrefix(url, "https://site.example"), nil))
	return w.Code
}

func TestAUserSeesAndResetsTheirLink(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := linkServer(t, d)
		first := call[shownLink](t, h, "1", "GET", "link-token/link-token")
		if len(first.Token) != 32 || first.URL != "https://site.example/link2/"+first.Token || len(first.URLs) != 1 ||
			first.LastFetchAt != nil {
			t.Fatalf("%+v", first)
		}
		if again := call[shownLink](t, h, "1", "GET", "link-token/link-token/"); again.Token != first.Token {
			t.Error("another token at the second look")
		}
		if other := call[shownLink](t, h, "2", "GET", "link-token/link-token"); other.Token == first.Token {
			t.Error("two users have one token")
		}
		if got := fetchStatus(h, first.URL); got != 200 {
			t.Errorf("the link: %d", got)
		}
		second := call[shownLink](t, h, "1", "POST", "link-token/link-token/reset")
		if got := fetchStatus(h, first.URL); got != 404 {
			t.Errorf("the old link: %d", got)
		}
		if got := fetchStatus(h, second.URL); got != 200 || second.Token == first.Token {
			t.Errorf("the new link: %d", got)
		}
	})
}

func TestNodeLinks_GiveOneNodeAndItsRelays_ToThoseWhoMayUseIt(t *testing.T) {
	type links struct {
		Entries []struct {
			Name, Address string
			Port          int
			Configs       []struct{ Format, Text string }
		}
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var open, dear, plain node.Node
		h := linkServer(t, d, func(services *service.Services, nodes *node.Nodes) {
			if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := services.Start(ctx, tx, service.Terms{
					UserID: 1, PlanID: 1, Name: "Basic", Class: 1,
					Reset: service.CalendarMonth, Months: 1,
				})
				return err
			}); err != nil {
				t.Fatal(err)
			}
			draft := node.Draft("Tokyo", node.Hysteria2, "jp.example", 443)
			draft.Settings.TLS = &node.TLS{ServerName: "jp.example"}
			draft.Relays = []node.Relay{{Name: "Guangzhou", Host: "gz.example", Port: 8443}}
			var err error
			if open, _, err = nodes.Add(t.Context(), draft); err != nil {
				t.Fatal(err)
			}
			shadowsocks := node.Draft("Seoul", node.Shadowsocks, "kr.example", 8388)
			shadowsocks.Settings.Method = "aes-128-gcm"
			if plain, _, err = nodes.Add(t.Context(), shadowsocks); err != nil {
				t.Fatal(err)
			}
			draft.Name, draft.Address, draft.Class, draft.Relays = "Dear", "dear.example", 2, nil
			if dear, _, err = nodes.Add(t.Context(), draft); err != nil {
				t.Fatal(err)
			}
		})
		got := call[links](t, h, "1", "GET", fmt.Sprintf("nodes/%d/links", open.ID)).Entries
		if len(got) != 2 || got[0].Address != "jp.example" || got[0].Port != 443 ||
			got[1].Name != "Tokyo · Guangzhou" || got[1].Address != "gz.example" {
			t.Fatalf("the entries are %+v", got)
		}
		uuid := call[struct{ UUID string }](t, h, "1", "GET", "ss-password").UUID
		for i, host := range []string{"jp.example:443", "gz.example:8443"} {
			formats := map[string]string{}
			for _, c := range got[i].Configs {
				formats[c.Format] = c.Text
				if !strings.Contains(c.Text, uuid) {
					t.Errorf("%s lacks the user's credentials: %s", c.Format, c.Text)
				}
			}
			// The certificate is self-signed: only clients that check its fingerprint may have a link.
			if link := formats["pinned_link"]; formats["link"] != "" ||
				!strings.HasPrefix(link, "hysteria2://"+uuid+"@"+host) || strings.Contains(link, "\n") {
				t.Errorf("the share links are %v", formats)
			}
			if !strings.Contains(formats["clash_meta"], "proxies:") || !json.Valid([]byte(formats["sing_box"])) {
				t.Errorf("the formats are %v", formats)
			}
		}
		configs := call[links](t, h, "1", "GET", fmt.Sprintf("nodes/%d/links", plain.ID)).Entries[0].Configs
		if configs[0].Format != "link" || !strings.HasPrefix(configs[0].Text, "ss://") ||
			configs[1].Format == "pinned_link" {
			t.Errorf("a node without a certificate is %+v", configs)
		}
		for _, c := range []struct {
			user string
			node int64
		}{{"1", dear.ID}, {"1", 99}, {"2", open.ID}} {
			r := httptest.NewRequest(http.MethodGet, fmt.Sprintf("/api/v2/user/services/nodes/%d/links", c.node), nil)
			r.Header.Set("Authorization", "Bearer "+c.user)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "node_not_found") {
				t.Errorf("user %s, node %d: %d %s", c.user, c.node, w.Code, w.Body)
			}
		}
	})
}

func TestAUserSeesAndResetsTheirNodeCredentials(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := linkServer(t, d)
		type credentials struct{ Password, UUID string }
		was := call[credentials](t, h, "1", "GET", "ss-password")
		token := call[shownLink](t, h, "1", "GET", "link-token/link-token").Token
		now := call[credentials](t, h, "1", "POST", "ss-password/reset")
		if was.Password == "" || now.Password == was.Password || now.UUID == was.UUID ||
			now != call[credentials](t, h, "1", "GET", "ss-password") {
			t.Errorf("%+v then %+v", was, now)
		}
		if call[shownLink](t, h, "1", "GET", "link-token/link-token").Token != token {
			t.Error("the link changed too")
		}
		call[shownLink](t, h, "1", "POST", "link-token/link-token/reset?is_reset_ss_password=true")
		if last := call[credentials](t, h, "1", "GET", "ss-password"); last == now {
			t.Error("a reset of both left the credentials")
		}
	})
}

// linkFetch is a row of the log.
type linkFetch struct {
	Time      time.Time
	Token     string `json:"token_fingerprint"`
	IsCurrent bool   `json:"is_current"`
	IP, Area  string
	Client    string
	Version   string
	UserAgent string `json:"user_agent"`
	Format    string
	Status    int
	Nodes     int
	LeftOut   int `json:"left_out"`
	Bytes     int64
}

func TestAUserSeesOnlyTheirOwnFetches(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := linkServer(t, d)
		url := call[shownLink](t, h, "1", "GET", "link-token/link-token").URL
		fetchStatus(h, url+"?client_type=ClashMeta")
		type log struct {
			Total int
			Items []linkFetch
		}
		var got log
		for end := time.Now().Add(time.Minute); len(got.Items) == 0; got = call[log](t, h, "1", "GET", "link-log") {
			if time.Now().After(end) {
				t.Fatal("the fetch does not come into the log")
			}
			time.Sleep(20 * time.Millisecond)
		}
		if f := got.Items[0]; f != (linkFetch{
			f.Time, f.Token, true, "192.0.2.1", "ZZ", "ClashMeta", "", "",
			"clash-meta", 200, 0, 0, f.Bytes,
		}) ||
			len(f.Token) != 8 || strings.Contains(url, f.Token) || f.Bytes < 100 || time.Since(f.Time) > time.Hour {
			t.Errorf("%+v", f)
		}
		if other := call[log](t, h, "2", "GET", "link-log"); other.Total != 0 || len(other.Items) != 0 {
			t.Errorf("another user sees %+v", other)
		}
		if call[shownLink](t, h, "1", "GET", "link-token/link-token").LastFetchAt == nil {
			t.Error("the first fetch is not told of")
		}
	})
}

func TestTheAppsCanBeImportedInto(t *testing.T) {
	h := linkServer(t, dbtest.SQLite(t))
	apps := call[[]struct {
		ID, Name  string
		Platforms []string
		ImportURL string `json:"import_url"`
		Download  string `json:"download_url"`
		Formats   []string
	}](t, h, "1", "GET", "clients")
	ids, platforms := map[string]bool{}, map[string]bool{}
	for _, a := range apps {
		if ids[a.ID] || a.Name == "" || len(a.Formats) == 0 || !strings.HasPrefix(a.Download, "https://") ||
			(a.ImportURL != "" && !strings.Contains(a.ImportURL, "{url")) {
			t.Errorf("%+v", a)
		}
		ids[a.ID] = true
		for _, p := range a.Platforms {
			platforms[p] = true
		}
		for _, clientType := range a.Formats {
			url := call[shownLink](t, h, "1", "GET", "link-token/link-token").URL
			if got := fetchStatus(h, url+"?client_type="+clientType); got != 200 {
				t.Errorf("%s as %s: %d", a.ID, clientType, got)
			}
		}
	}
	for _, p := range []string{"windows", "macos", "ios", "android", "linux", "harmonyos"} {
		if !platforms[p] {
			t.Errorf("no app for %s", p)
		}
	}
}
