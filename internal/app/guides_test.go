package app

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/fault"
	"airstrip/internal/guide"
	"airstrip/internal/markdown"
)

type shownGuide struct {
	ID       int64
	Slug     string
	Title    string
	Category string
	ClientID string `json:"client_id"`
	Systems  []string
	Markdown string `json:"markdown_text"`
}

const guidesPath = "/api/v2/staff/guides"

// guide writes a published guide as an admin does; fields are more of its JSON.
func (h *fixture) guide(slug, body, fields string) (made shownGuide) {
	h.Helper()
	if !strings.Contains(fields, "is_published") {
		fields += `,"is_published":true`
	}
	h.ask(h.staff[account.Admin], 200, "POST", guidesPath, fmt.Sprintf(
		`{"slug":%q,"title":"Help","category":"Clients","body":%q%s}`, slug, body, fields), &made)
	return made
}

// slugs gives the guides that a user is shown, in order.
func (h *fixture) slugs(query string) (slugs []string) {
	h.Helper()
	var list []shownGuide
	h.ask(h.users[0], 200, "GET", "/api/v2/user/guides"+query, "", &list)
	for _, one := range list {
		slugs = append(slugs, one.Slug)
	}
	return slugs
}

func TestGuides_AreFilledInForTheirReader(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		hostile := "<b>*A*</b> [x](javascript:alert(1))"
		if err := h.Settings.Set(h.Context(), map[string]json.RawMessage{
			"site_name": json.RawMessage(fmt.Sprintf("%q", hostile)),
		}); err != nil {
			h.Fatal(err)
		}
		body := "{{site_name}}\n\n```\n{{link}}\n```\n\n[buy]({{site_url}}/user/services/buy) {{other}}"
		made := h.guide("start", body, "")
		leak := "[click](https://other.example/?u={{link}})"
		if answer := h.ask(h.staff[account.Admin], 422, "POST", "/api/v2/staff/guides",
			fmt.Sprintf(`{"slug":"leak","title":"A","body":"A","body_en":%q,"category":"A"}`, leak), nil); !strings.Contains(answer, "body_en") {
			h.Error(answer)
		}
		links := map[string]bool{}
		for _, user := range h.users[:2] {
			token, err := h.Links.Token(h.Context(), user.id)
			if err != nil {
				h.Fatal(err)
			}
			var got shownGuide
			h.ask(user, 200, "GET", "/api/v2/user/guides/start", "", &got)
			shown := markdown.HTML(got.Markdown)
			for _, want := range []string{
				"<p>&lt;b&gt;*A*&lt;/b&gt; [x](javascript:alert(1))</p>", "<pre><code>" + token.URLs[0] + "\n</code></pre>",
				`href="` + h.cfg.site + `/user/services/buy"`, "{{other}}",
			} {
				if !strings.Contains(shown, want) {
					h.Errorf("%s\nis not in\n%s", want, shown)
				}
			}
			links[token.URLs[0]] = true
			if list := h.ask(user, 200, "GET", "/api/v2/user/guides", "", nil); strings.Contains(list, token.Token) {
				h.Error("the list has the link:", list)
			}
			w := h.call(h.Context(), user, "GET", "/api/v2/user/guides/start", "")
			if w.Header().Get("Cache-Control") != "no-store" {
				h.Error("a cache may keep the link:", w.Header())
			}
			path := fmt.Sprintf("%s/%d", guidesPath, made.ID)
			if got := h.ask(h.staff[account.Viewer], 200, "GET", path, "", nil); !strings.Contains(got, "{{link}}") ||
				strings.Contains(got, token.Token) {
				h.Error("staff does not see what was written:", got)
			}
		}
		if len(links) != 2 {
			h.Error("two readers have one link:", links)
		}
		for _, path := range []string{"/api/v2/user/guides", "/api/v2/user/guides/start"} {
			if got := h.ask(testUser{}, 401, "GET", path, "", nil); strings.Contains(got, "Help") {
				h.Error("a guest reads it:", got)
			}
		}
	})
}

func TestGuides_AreFoundAndHidden(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.guide("second", "Press Import", `,"position":20,"client_id":"stash","systems":["macos","ios"]`)
		h.guide("first", "Something else", `,"position":10`)
		draft := h.guide("draft", "Not yet", `,"is_published":false,"position":5`)
		for query, want := range map[string][]string{
			"": {"first", "second"}, "?q=import+help": {"second"}, "?q=IMPORT": {"second"}, "?q=nothing": nil,
			"?system=ios": {"first", "second"}, "?system=linux": {"first"}, "?client_id=stash": {"second"},
		} {
			if got := h.slugs(query); !slices.Equal(got, want) {
				h.Errorf("%q gives %q, want %q", query, got, want)
			}
		}
		h.ask(h.users[0], 404, "GET", "/api/v2/user/guides/draft", "", nil)
		path := fmt.Sprintf("%s/%d", guidesPath, draft.ID)
		h.ask(h.staff[account.Admin], 200, "PATCH", path, `{"is_published":true}`, nil)
		if got := h.slugs(""); !slices.Equal(got, []string{"draft", "first", "second"}) {
			h.Error(got)
		}
		h.ask(h.staff[account.Admin], 200, "DELETE", path, "", nil)
		h.ask(h.staff[account.Admin], 404, "DELETE", path, "", nil)
		h.ask(h.users[0], 404, "GET", "/api/v2/user/guides/draft", "", nil)
		var clients []struct {
			ID    string
			Guide string `json:"guide_slug"`
		}
		h.ask(h.users[0], 200, "GET", "/api/v2/user/services/clients", "", &clients)
		for _, one := range clients {
			if want := map[string]string{"stash": "second"}[one.ID]; one.Guide != want {
				h.Errorf("the guide to %s is %q, want %q", one.ID, one.Guide, want)
			}
		}
		// A client that leaves the catalogue takes no guide with it.
		h.ask(h.staff[account.Admin], 200, "DELETE", "/api/v2/staff/clients/stash", "", nil)
		var list []shownGuide
		h.ask(h.staff[account.Viewer], 200, "GET", guidesPath, "", &list)
		if len(list) != 2 || list[1].ClientID != "" || !slices.Equal(list[1].Systems, []string{"macos", "ios"}) {
			h.Errorf("%+v", list)
		}
	})
}

func TestGuides_SpeakTheReadersLanguage(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.guide("start", "正文", `,"title_zh":"教程","body_en":"text","category_zh":"客户端"`)
		for lang, want := range map[string][3]string{"zh-CN": {"教程", "客户端", "正文"}, "en": {"Help", "Clients", "text"}} {
			req := httptest.NewRequestWithContext(h.Context(), "GET", "/api/v2/user/guides/start", nil)
			req.Header.Set("Accept-Language", lang)
			req.Header.Set("Authorization", "Bearer "+h.users[0].bearer)
			got := h.serve(req)
			for _, word := range want {
				if !strings.Contains(got, fmt.Sprintf("%q", word)) {
					h.Errorf("%s: %s", lang, got)
				}
			}
		}
	})
}

func TestGuides_WrongInputIsNamed(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.guide("taken", "text", "")
		for body, field := range map[string]string{
			`{"slug":"a","title":"a","category":"a"}`:                                "body",
			`{"slug":"a","title":" ","category":"a","body":"a"}`:                     "title",
			`{"slug":"a","title":"a","body":"a"}`:                                    "category",
			`{"slug":"A b","title":"a","category":"a","body":"a"}`:                   "slug",
			`{"slug":"taken","title":"a","category":"a","body":"a"}`:                 "slug",
			`{"slug":"a","title":"a","category":"a","body":"a","client_id":"no"}`:    "client_id",
			`{"slug":"a","title":"a","category":"a","body":"a","systems":["amiga"]}`: "systems.0",
		} {
			got := h.ask(h.staff[account.Admin], 422, "POST", guidesPath, body, nil)
			if !strings.Contains(got, `"field":"`+field+`"`) && !strings.Contains(got, `.`+field+`"`) {
				h.Errorf("%s: %s", body, got)
			}
		}
		h.ask(h.users[0], 403, "POST", guidesPath, `{}`, nil)
		h.ask(h.staff[account.Viewer], 403, "POST", guidesPath, `{}`, nil)
	})
}

// A new site has a guide for each client of the catalogue, in both languages. It is the operator's from then on.
func TestGuides_ASiteBeginsWithSome(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.guide("stash", "The operator's own", "")
		h.Guides.Begin(h.Context())
		apps, err := h.Links.Apps(h.Context(), true)
		if err != nil {
			h.Fatal(err)
		}
		slugs := h.slugs("")
		for _, app := range apps {
			if !slices.Contains(slugs, app.ID) {
				h.Error("there is no guide for", app.ID)
			}
			for _, lang := range []string{"zh-CN", "en"} {
				page, err := h.Guides.Read(h.Context(), app.ID, fault.Lang(lang), h.users[0].id)
				if err != nil || app.ID != "stash" && (!strings.Contains(page.BodyNow, app.DownloadURL) ||
					!strings.Contains(page.BodyNow, "/link/") && !strings.Contains(page.BodyNow, "https://")) ||
					strings.Contains(page.BodyNow, "{{") || strings.Contains(page.BodyNow, "<no value>") {
					h.Errorf("%s in %s: %v\n%s", app.ID, lang, err, page.BodyNow)
				}
			}
		}
		if len(slugs) != len(apps)+2 {
			h.Errorf("%d guides: %q", len(slugs), slugs)
		}
		if page, _ := h.Guides.Read(h.Context(), "stash", "en", h.users[0].id); page.BodyNow != "The operator's own" {
			h.Error("a guide of the operator's was replaced:", page.BodyNow)
		}
		list, err := h.Guides.List(h.Context())
		if err != nil {
			h.Fatal(err)
		}
		removed, changed := list[len(list)-1], list[len(list)-2]
		if err := h.Guides.Remove(h.Context(), removed.ID); err != nil {
			h.Fatal(err)
		}
		if _, err := h.Guides.Change(h.Context(), changed.ID, func(one *guide.Guide) { one.Title = "Mine" }); err != nil {
			h.Fatal(err)
		}
		h.Guides.Begin(h.Context())
		again, err := h.Guides.List(h.Context())
		if err != nil || len(again) != len(list)-1 || again[len(again)-1].Title != "Mine" {
			h.Errorf("after the next start there are %d guides, want %d: %v", len(again), len(list)-1, err)
		}
	})
}
