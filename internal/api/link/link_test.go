package link_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"
	"github.com/uptrace/bun"

	"airstrip/internal/link"
	"airstrip/internal/node"
	"airstrip/internal/service"
)

func TestFetch_AnswersFormatOfClient(t *testing.T) {
	each(t, func(s *site) {
		for _, c := range []struct{ query, userAgent, media, body string }{
			{"client_type=clashmeta", "", "text/yaml; charset=utf-8", `"type":"vless"`},
			{"client_type=AUTO", "clash-verge/v2.4.0", "text/yaml; charset=utf-8", `"type":"hysteria2"`},
			{"", "SFA/1.14.1 (900; sing-box 1.14.1)", "application/json; charset=utf-8", `"tag":"Tokyo"`},
			{"client_type=SINGBOX", "curl/8", "application/json; charset=utf-8", `"default_domain_resolver"`},
			{"", "SFA/1.11.0 (900; sing-box 1.11.15)", "application/json; charset=utf-8", `"outbound":"any"`},
			{"client_type=Mixed&is_proxy_mode=true", "v2rayN/7.23.4", "text/plain; charset=utf-8", "hysteria2://"},
		} {
			w := s.get(c.query, "User-Agent", c.userAgent)
			if w.Code != 200 || w.Header().Get("Content-Type") != c.media ||
				!strings.Contains(w.Body.String(), c.body) {
				s.Errorf("%s %q: %d %s\n%s", c.query, c.userAgent, w.Code, w.Header().Get("Content-Type"), w.Body)
			}
		}
		if w := s.fetch(http.MethodGet, "/v1/link2/"+s.token+"/"); w.Code != 200 {
			s.Errorf("the older address with a closing slash: %d", w.Code)
		} else if text, err := base64.StdEncoding.DecodeString(w.Body.String()); err != nil ||
			!strings.Contains(string(text), "vless://") {
			s.Errorf("an unknown client got %s", w.Body)
		}
	})
}

func TestHeaders_ShowUsage(t *testing.T) {
	each(t, func(s *site) {
		w := s.get("client_type=ClashMeta&filename=%E6%88%91%E7%9A%84+%22x%22%0D%0AEvil:1&suffix_type=conf")
		h := w.Header()
		if got := h.Get("Subscription-Userinfo"); !regexp.MustCompile(`^upload=0; download=0; total=107374182400; expire=\d{10}$`).MatchString(got) {
			s.Errorf("userinfo %q", got)
		}
		for name, want := range map[string]string{
			"Profile-Update-Interval": "12", "Cache-Control": "private, no-cache",
			"Profile-Web-Page-Url": "https://site.example.com", "X-Nodes-Left-Out": "0",
			"Profile-Title":       "base64:" + base64.StdEncoding.EncodeToString([]byte("网络加速器")),
			"Content-Disposition": `attachment; filename="__ xEvil1.conf"; filename*=UTF-8''%E6%88%91%E7%9A%84%20xEvil1.conf`,
		} {
			if h.Get(name) != want {
				s.Errorf("%s: %q", name, h.Get(name))
			}
		}
		if !strings.Contains(strings.Join(h.Values("Vary"), ","), "User-Agent, Accept") ||
			!regexp.MustCompile(`^"[\w-]{22}"$`).MatchString(h.Get("ETag")) {
			s.Errorf("%v", h)
		}
		if w := s.get("client_type=Clash"); w.Header().Get("X-Nodes-Left-Out") != "3" ||
			!strings.Contains(w.Body.String(), "# 3 ") || !strings.Contains(w.Body.String(), "127.0.0.1") {
			s.Errorf("left out %s:\n%s", w.Header().Get("X-Nodes-Left-Out"), w.Body)
		}
	})
}

func TestFileName_IsSiteNameUnlessRequested(t *testing.T) {
	each(t, func(s *site) {
		for _, c := range []struct{ name, query, want string }{
			{"网络加速器", "", `attachment; filename="subscription.yaml"; filename*=UTF-8''%E7%BD%91%E7%BB%9C%E5%8A%A0%E9%80%9F%E5%99%A8.yaml`},
			{"Sky 云", "&filename=", `attachment; filename="Sky _.yaml"; filename*=UTF-8''Sky%20%E4%BA%91.yaml`},
			{
				"Sky", "&filename=V2RayN&suffix_type=txt",
				`attachment; filename="V2RayN.txt"; filename*=UTF-8''V2RayN.txt`,
			},
			{"/", "", `attachment; filename="subscription.yaml"; filename*=UTF-8''subscription.yaml`},
		} {
			s.set("site_name", c.name)
			if got := s.get("client_type=ClashMeta" + c.query).Header().Get("Content-Disposition"); got != c.want {
				s.Errorf("%q %s: %s", c.name, c.query, got)
			}
		}
	})
}

func TestPage_NamesSupport(t *testing.T) {
	each(t, func(s *site) {
		if got := s.get("").Header().Get("Support-Url"); got != "" {
			s.Errorf("nobody is to be written to, but %q", got)
		}
		s.set("contact_email", "help@example.com")
		if got := s.get("").Header().Get("Support-Url"); got != "https://site.example.com/about" {
			s.Errorf("%q", got)
		}
		s.set("contact_url", "https://t.me/airport")
		if got := s.get("").Header().Get("Support-Url"); got != "https://t.me/airport" {
			s.Errorf("with a page to write to: %q", got)
		}
	})
}

func TestFetch_OtherMethods_AreRefused(t *testing.T) {
	each(t, func(s *site) {
		for _, path := range []string{"/link2/", "/v1/link2/", "/link/", "/v1/link/"} {
			for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
				w := s.fetch(method, path+s.token)
				if w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
					s.Errorf("%s %s: %d %v", method, path, w.Code, w.Header())
				}
			}
		}
	})
}

// Each compressed form has bytes of its own, so it has its own ETag, and no proxy may compress it again.
func TestAssets_ETag_DiffersByEncoding(t *testing.T) {
	each(t, func(s *site) {
		plain := s.get("client_type=ClashMeta")
		tags := map[string]string{}
		for _, c := range []struct{ accept, coding string }{
			{"", ""},
			{"identity", ""},
			{"gzip", "gzip"},
			{"zstd", "zstd"},
			{"br", "br"},
			{"gzip, deflate, br, zstd", "br"},
			{"gzip, zstd", "zstd"},
			{"br;q=0.5, gzip;q=0.9, zstd;q=0.1", "gzip"},
			{"br;q=0, zstd;q=0.0, gzip;q=0.001", "gzip"},
			{"*", "br"},
			{"br;q=0, *", "zstd"},
			{"identity, gzip;q=0.5", ""},
			{"*;q=0", ""},
			{"br;q=NaN, gzip;q=2, zstd;q=x", ""},
			{"BR ; Q=1", "br"},
		} {
			w := s.get("client_type=ClashMeta", "Accept-Encoding", c.accept)
			if got := w.Header().Get("Content-Encoding"); got != c.coding {
				s.Errorf("%q got %q, want %q", c.accept, got, c.coding)
				continue
			}
			if text := unpack(s, c.coding, w.Body); !bytes.Equal(text, plain.Body.Bytes()) {
				s.Errorf("%q: another file: %s", c.accept, text)
			}
			tag := w.Header().Get("ETag")
			if is, seen := tags[tag]; seen && is != c.coding {
				s.Errorf("%q and %q share the tag %s", is, c.coding, tag)
			}
			tags[tag] = c.coding
			again := s.get("client_type=ClashMeta", "Accept-Encoding", c.accept, "If-None-Match", tag)
			if again.Code != 304 || again.Header().Get("ETag") != tag {
				s.Errorf("%q again: %d %v", c.accept, again.Code, again.Header())
			}
		}
		if len(tags) != 4 {
			s.Errorf("tags: %v", tags)
		}
	})
}

func unpack(s *site, coding string, body io.Reader) []byte {
	s.Helper()
	var err error
	switch coding {
	case "gzip":
		body, err = gzip.NewReader(body)
	case "zstd":
		body, err = zstd.NewReader(body)
	case "br":
		body = brotli.NewReader(body)
	}
	if err != nil {
		s.Fatal(err)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		s.Fatal(err)
	}
	return text
}

func TestFetch_Unchanged_Answers304(t *testing.T) {
	each(t, func(s *site) {
		first := s.get("client_type=ClashMeta")
		etag := first.Header().Get("ETag")
		for _, tag := range []string{etag, "W/" + etag, `"other", ` + etag, "*"} {
			w := s.get("client_type=ClashMeta", "If-None-Match", tag)
			if w.Code != 304 || w.Body.Len() != 0 || w.Header().Get("Subscription-Userinfo") == "" ||
				w.Header().Get("ETag") != etag {
				s.Errorf("%s: %d %v", tag, w.Code, w.Header())
			}
		}
		zipped := s.get("client_type=ClashMeta", "Accept-Encoding", "gzip")
		r, err := gzip.NewReader(zipped.Body)
		if err != nil {
			s.Fatal(err)
		}
		if plain, _ := io.ReadAll(r); !bytes.Equal(plain, first.Body.Bytes()) || zipped.Header().Get("ETag") == etag {
			s.Errorf("compressed: %s, %v", plain, zipped.Header())
		}
		if w := s.get("client_type=ClashMeta", "If-None-Match", zipped.Header().Get("ETag"), "Accept-Encoding",
			"gzip"); w.Code != 304 {
			s.Errorf("with the tag of the compressed file: %d", w.Code)
		}
		head := s.fetch(http.MethodHead, "/link2/"+s.token+"?client_type=ClashMeta")
		if head.Code != 200 || head.Header().Get("ETag") != etag ||
			head.Header().Get("Content-Length") != fmt.Sprint(first.Body.Len()) {
			s.Errorf("HEAD: %d %v", head.Code, head.Header())
		}

		// The next fetch has one more node and the new credentials.
		added := s.add(node.Draft("New", node.VMess, "new.example.com", 443),
			node.Settings{Transport: "ws", Path: "/a", Security: "none"})
		second := s.get("client_type=ClashMeta", "If-None-Match", etag)
		if second.Code != 200 || !strings.Contains(second.Body.String(), `"New"`) {
			s.Errorf("after a node came: %d", second.Code)
		}
		if _, err := s.nodes.Change(s.Context(), added.ID, func(n *node.Node) { n.Visible = false }); err != nil {
			s.Fatal(err)
		}
		if third := s.get("client_type=ClashMeta"); third.Header().Get("ETag") != etag {
			s.Error("without it the file is not the first one")
		}
		if err := s.links.ResetCredentials(s.Context(), user); err != nil {
			s.Fatal(err)
		}
		if w := s.get("client_type=ClashMeta", "If-None-Match", etag); w.Code != 200 {
			s.Errorf("after a reset of the credentials: %d", w.Code)
		}
	})
}

func TestFetch_UnknownToken_AnswersNothing(t *testing.T) {
	each(t, func(s *site) {
		old := s.token
		fresh, err := s.links.Reset(s.Context(), user, false)
		if err != nil || fresh.Token == old || !regexp.MustCompile(`^[0-9A-Za-z]{32}$`).MatchString(fresh.Token) ||
			fresh.URLs[0] != "https://site.example.com/link2/"+fresh.Token {
			s.Fatalf("%+v %v", fresh, err)
		}
		want := s.fetch(http.MethodGet, "/link2/"+old)
		if want.Code != 404 || want.Header().Get("Subscription-Userinfo") != "" {
			s.Fatalf("the old token: %d", want.Code)
		}
		for _, token := range []string{
			strings.Repeat("a", 32), "x", strings.Repeat("b", 4000), "%F0%9F%92%A9",
			fresh.Token[:31], strings.ToLower(fresh.Token) + "'", "%27%20OR%201=1",
		} {
			for _, query := range []string{"", "?client_type=ClashMeta", "?client_type=nonsense"} {
				got := s.fetch(http.MethodGet, "/link2/"+token+query)
				if got.Code != 404 || got.Body.String() != want.Body.String() {
					s.Errorf("%q: %d %s", token, got.Code, got.Body)
				}
			}
		}
		if w := s.fetch(http.MethodGet, "/link2/"+fresh.Token); w.Code != 200 {
			s.Errorf("the new token: %d", w.Code)
		}
		again, err := s.links.Token(s.Context(), user)
		if err != nil || again.Token != fresh.Token {
			s.Errorf("shown again: %v %v", again, err)
		}
	})
}

// Clients draw upload and download apart, in the file's header as in that of the page.
func TestHeaders_UploadAndDownload_AreNotExchanged(t *testing.T) {
	each(t, func(s *site) {
		const packaged, unlimited = user + 1, user + 2
		s.do(func(ctx context.Context, tx bun.Tx) error {
			if err := errors.Join(s.services.Open(ctx, tx, packaged), s.services.Open(ctx, tx, unlimited)); err != nil {
				return err
			}
			if _, err := s.services.AddPackage(ctx, tx, service.PackageTerms{
				UserID: packaged, Name: "p", Kind: service.Bought, Bytes: 1000,
			}); err != nil {
				return err
			}
			_, err := s.services.Start(ctx, tx, service.Terms{
				UserID: unlimited, PlanID: 1, Name: "Unlimited", Class: 1, Groups: []int{1}, Reset: service.Never,
				Months: 1,
			})
			return err
		})
		s.do(func(ctx context.Context, tx bun.Tx) error { // one and a half times what was moved, as of a node's rate
			var uses []service.Use
			for _, id := range []int64{user, packaged, unlimited} {
				uses = append(uses, service.Use{
					UserID: id, Class: 1, Group: 1, Up: 20, Down: 60, BilledUp: 30, BilledDown: 90,
				})
			}
			return s.services.ConsumeLateTraffic(ctx, tx, s.db.Now(), uses)
		})
		for id, want := range map[int64]string{
			user:      "upload=30; download=90; total=107374182400; expire=",
			packaged:  "upload=30; download=90; total=1000; expire=0",
			unlimited: "upload=30; download=90; total=0; expire=",
		} {
			made, err := s.links.Token(s.Context(), id)
			if err != nil {
				s.Fatal(err)
			}
			for _, accept := range []string{"*/*", "text/html"} {
				w := s.fetch(http.MethodGet, "/link2/"+made.Token, "Accept", accept)
				if got := w.Header().Get("Subscription-Userinfo"); w.Code != 200 || !strings.HasPrefix(got, want) {
					s.Errorf("user %d, %s: %d %q, want %q", id, accept, w.Code, got, want)
				}
			}
		}
	})
}

func TestReset_OfBoth_ChangesCredentials(t *testing.T) {
	each(t, func(s *site) {
		before, err := s.services.Access(s.Context(), user)
		if err != nil {
			s.Fatal(err)
		}
		if _, err := s.links.Reset(s.Context(), user, true); err != nil {
			s.Fatal(err)
		}
		after, err := s.services.Access(s.Context(), user)
		if err != nil || after.UUID == before.UUID || after.Password == before.Password {
			s.Errorf("%v %v", after, err)
		}
	})
}

func TestRender_NoRights_FileSaysWhy(t *testing.T) {
	each(t, func(s *site) {
		s.get("client_type=ClashMeta") // The file is in the cache now.
		s.do(func(ctx context.Context, tx bun.Tx) error { return s.services.SetBanned(ctx, tx, user, true) })
		for _, clientType := range []string{"ClashMeta", "SingBox", "Stash", "Clash", "NodeList"} {
			w := s.get("client_type=" + clientType)
			text, _ := url.PathUnescape(w.Body.String())
			if w.Code != 200 || !strings.Contains(text, "账号已停用") || !strings.Contains(text, "127.0.0.1") ||
				strings.Contains(text, "example.com") {
				s.Errorf("%s: %d\n%s", clientType, w.Code, w.Body)
			}
		}
		s.do(func(ctx context.Context, tx bun.Tx) error { return s.services.Open(ctx, tx, 8) })
		token, err := s.links.Token(s.Context(), 8)
		if err != nil {
			s.Fatal(err)
		}
		w := s.fetch(http.MethodGet, "/link2/"+token.Token+"?client_type=ClashMeta")
		if !strings.Contains(w.Body.String(), "还没有套餐") ||
			w.Header().Get("Subscription-Userinfo") != "upload=0; download=1; total=1; expire=0" {
			s.Errorf("%v\n%s", w.Header(), w.Body)
		}
	})
}

func TestFetch_ListsNodesOfClassAndGroups(t *testing.T) {
	each(t, func(s *site) {
		far, other, own := node.Draft("Class 2", node.Shadowsocks, "a.example.com", 1), node.Draft("Group 2",
			node.Shadowsocks, "b.example.com", 2), node.Draft("Group 1", node.Shadowsocks, "c.example.com", 3)
		far.Class, other.GroupID, own.GroupID = 2, 2, 1
		for _, n := range []node.Node{far, other, own} {
			s.add(n, node.Settings{Method: "aes-128-gcm"})
		}
		body := s.get("client_type=ClashMeta").Body.String()
		if strings.Contains(body, "Class 2") || strings.Contains(body, "Group 2") ||
			!strings.Contains(body, "Group 1") {
			s.Error(body)
		}
	})
}

func TestParameters_HaveTheirEffect(t *testing.T) {
	each(t, func(s *site) {
		list := func(query string) string {
			w := s.get("is_proxy_mode=true&client_type=Mixed&" + query)
			text, err := url.PathUnescape(w.Body.String())
			if w.Code != 200 || err != nil {
				s.Fatalf("%s: %d %v", query, w.Code, err)
			}
			return text
		}
		if got := list("is_node_extend=true"); !strings.Contains(got, "剩余流量") ||
			!strings.Contains(got, "100.00 GB") || !strings.Contains(got, "到期") {
			s.Error(got)
		}
		s.set("link_notices", []string{"官网 site.example.com", "维护: 周日"})
		if got := list("is_node_extend=true"); !strings.Contains(got, "#官网 site.example.com\n") ||
			!strings.Contains(got, "#维护: 周日\n") || strings.Index(got, "到期") > strings.Index(got, "官网") {
			s.Errorf("the operator's notices are missing or before the rest:\n%s", got)
		}
		if got := list("is_node_extend=false"); strings.Contains(got, "剩余流量") {
			s.Error(got)
		}
		if got := list("vpn_type=ssr"); !strings.Contains(got, "ss://") || strings.Contains(got, "vless://") {
			s.Error(got)
		}
		if w := s.get("client_type=V2Ray", "User-Agent", "v2rayN/7"); w.Code != 200 {
			s.Errorf("%d", w.Code)
			// Four notices and the VLESS node.
		} else if text, err := base64.StdEncoding.DecodeString(w.Body.String()); err != nil ||
			strings.Count(string(text), "\n") != 5 {
			s.Errorf("%s", text)
		}
		for query, field := range map[string]string{
			"client_type=nonsense": "client_type", "is_node_extend=maybe": "is_node_extend",
			"is_proxy_mode=2":   "is_proxy_mode",
			"is_remark_emoji=x": "is_remark_emoji", "suffix_type=exe": "suffix_type", "vpn_type=wireguard": "vpn_type",
			"manual_link_group=a": "manual_link_group",
		} {
			w := s.get(query)
			var body struct{ Errors []struct{ Field string } }
			if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != 422 || len(body.Errors) != 1 ||
				body.Errors[0].Field != field {
				s.Errorf("%s: %d %s", query, w.Code, w.Body)
			}
		}
	})
}

func TestFlags_AreOptional(t *testing.T) {
	each(t, func(s *site) {
		flagged := node.Draft("Osaka", node.Shadowsocks, "o.example.com", 1)
		flagged.Country = "JP"
		s.add(flagged, node.Settings{Method: "aes-128-gcm"})
		for query, want := range map[string]bool{
			"client_type=ClashMeta":                       true,
			"client_type=ClashMeta&is_remark_emoji=false": false,
		} {
			if got := strings.Contains(s.get(query).Body.String(), "🇯🇵 Osaka"); got != want {
				s.Errorf("%s: %v", query, got)
			}
		}
	})
}

func TestFetch_TooMany_AreRefused(t *testing.T) {
	each(t, func(s *site) {
		s.set("link_per_minute", 3)
		for i := range 4 {
			w := s.get("client_type=ClashMeta")
			if want := map[bool]int{true: 200, false: 429}[i < 3]; w.Code != want ||
				(w.Code == 429) != (w.Header().Get("Retry-After") != "") {
				s.Errorf("fetch %d: %d %v", i, w.Code, w.Header())
			}
		}
		s.set("link_per_minute", 1000)
		s.set("link_per_day", 2)
		for i := range 3 {
			if w := s.get(""); (w.Code == 429) != (i == 2) {
				s.Errorf("fetch %d of the day: %d", i, w.Code)
			}
		}
		s.set("link_per_ip_minute", 2)
		for i := range 3 {
			if w := s.fetch(http.MethodGet, "/link2/guess"); (w.Code == 429) != (i == 2) {
				s.Errorf("guess %d: %d", i, w.Code)
			}
		}
	})
}

func TestFetch_IsLogged(t *testing.T) {
	each(t, func(s *site) {
		s.get("", "User-Agent", "clash-verge/v2.4.0")
		etag := s.get("", "User-Agent", "SFA/1 (1; sing-box 1.11.15)\x00").Header().Get("ETag")
		s.get("", "User-Agent", "SFA/1 (1; sing-box 1.11.15)", "If-None-Match", etag)
		s.get("client_type=nonsense", "User-Agent", strings.Repeat("ü", 300))
		s.fetch(http.MethodGet, "/link2/unknown")
		made, err := s.links.Token(s.Context(), user)
		if err != nil {
			s.Fatal(err)
		}
		old := s.get("client_type=Clash", "User-Agent", "Clash/1.18.0", "Accept-Encoding", "gzip")
		s.stop() // Writes what is queued.
		got, total, err := s.links.Fetches(s.Context(), user, 10, 0)
		if err != nil || total != 5 || len(got) != 5 {
			s.Fatalf("%d %v %v", total, got, err)
		}
		if diff := cmp.Diff(got[0], link.Fetch{
			ID: got[0].ID, UserID: user, FetchedAt: got[0].FetchedAt, Token: made.Fingerprint(), IP: "192.0.2.1",
			Network: "192.0.2.0/24", Area: "ZZ",
			Client: "Clash", Version: "1.18.0", UserAgent: "Clash/1.18.0", Format: "clash", Status: 200, LeftOut: 3,
			Bytes: int64(old.Body.Len()),
		}, cmpopts.IgnoreTypes(bun.BaseModel{})); diff != "" || old.Body.Len() == 0 ||
			time.Since(got[0].FetchedAt) > time.Hour {
			s.Errorf("%s\n%s", got[0].FetchedAt, diff)
		}
		got = got[1:]
		if ua := got[0].UserAgent; ua != strings.Repeat("ü", 100) {
			s.Errorf("the User-Agent %q", ua)
		}
		want := []struct {
			client, version, format string
			status, nodes           int
		}{{"", "", "", 422, 0}, {"sing-box", "1.11.15", "sing-box", 304, 3}, {
			"sing-box", "1.11.15", "sing-box", 200,
			3,
		}, {"Clash Meta", "2.4.0", "clash-meta", 200, 3}}
		for i, f := range got {
			if w := want[i]; f.Client != w.client || f.Version != w.version || f.Format != w.format ||
				f.Status != w.status || f.Nodes != w.nodes || f.IP != "192.0.2.1" {
				s.Errorf("%d: %+v", i, f)
			}
		}
		if last, err := s.links.LastFetch(s.Context(), user); err != nil || last == nil ||
			time.Since(*last) > time.Hour {
			s.Errorf("%v %v", last, err)
		}
	})
}

func TestFetch_ClosedAccount_IsUnknownAndLogIsDeleted(t *testing.T) {
	each(t, func(s *site) {
		const other = user + 1
		s.do(func(ctx context.Context, tx bun.Tx) error { return s.services.Open(ctx, tx, other) })
		others, err := s.links.Token(s.Context(), other)
		if err != nil {
			s.Fatal(err)
		}
		s.get("")
		s.fetch(http.MethodGet, "/link2/"+others.Token)
		s.stop() // Writes what is queued.
		s.do(func(ctx context.Context, tx bun.Tx) error { return s.links.Close(ctx, tx, user) })
		if w := s.get(""); w.Code != 404 {
			s.Errorf("the link of a closed account: %d", w.Code)
		}
		if w := s.fetch(http.MethodGet, "/link2/"+others.Token); w.Code != 200 {
			s.Errorf("another user's link: %d", w.Code)
		}
		for id, want := range map[int64]int64{user: 0, other: 1} {
			if _, total, err := s.links.Fetches(s.Context(), id, 10, 0); err != nil || total != want {
				s.Errorf("of user %d %d fetches are kept, want %d, %v", id, total, want, err)
			}
		}
	})
}
