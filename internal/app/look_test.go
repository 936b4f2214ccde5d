package app

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/fault"
	"airstrip/internal/mail"
	"airstrip/internal/sitepicture"
)

// samplePNG is a square picture, which is taken as a logo and as an icon from 192 pixels on.
func samplePNG(side int) []byte {
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
		panic(err) // only where a Buffer fails
	}
	return out.Bytes()
}

func TestSite_OwnPictures_AreServedAndNamedWhereTheyAreShown(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		get := func(path string, header ...string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			for i := 0; i < len(header); i += 2 {
				r.Header.Set(header[i], header[i+1])
			}
			w := httptest.NewRecorder()
			h.root.ServeHTTP(w, r)
			return w
		}
		if w := get("/site-pictures/logo"); w.Code != http.StatusNotFound {
			h.Errorf("a site without a logo answers %d", w.Code)
		}
		for _, name := range sitepicture.Names {
			if err := h.Pictures.Set(h.Context(), name, samplePNG(192)); err != nil {
				h.Fatal(err)
			}
		}
		var site struct {
			Look struct {
				LogoURL string `json:"logo_url"`
				IconURL string `json:"icon_url"`
			}
		}
		h.ask(testUser{}, http.StatusOK, "GET", "/api/v2/site", "", &site)
		look := site.Look
		w := get(look.LogoURL)
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/png" ||
			!strings.Contains(w.Header().Get("Cache-Control"), "immutable") ||
			w.Header().Get("X-Content-Type-Options") != "nosniff" ||
			!strings.HasPrefix(w.Header().Get("Content-Security-Policy"), "default-src 'none'; sandbox") {
			h.Errorf("%s answers %d %v", look.LogoURL, w.Code, w.Header())
		}
		again := get("/site-pictures/logo", "If-None-Match", w.Header().Get("ETag"))
		if again.Code != http.StatusNotModified || strings.Contains(again.Header().Get("Cache-Control"), "immutable") {
			h.Errorf("asked again it answers %d %v", again.Code, again.Header())
		}
		if m := get("/manifest.webmanifest").Body.String(); !strings.Contains(m, look.IconURL) ||
			strings.Contains(m, "icon-512") {
			h.Errorf("the manifest is %s", m)
		}
		letter, err := h.Mails.Write(mail.Message{To: "a@example.com", Lang: fault.EN, Content: mail.NoticeTest{}})
		if err != nil || !strings.Contains(letter.HTML, look.LogoURL) {
			h.Errorf("no logo in a mail: %v %s", err, letter.HTML)
		}
	})
}

func TestSignUp_SiteWithTerms_AsksToAcceptTheVersionThatIsThere(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		set := func(terms string) string {
			value, err := json.Marshal(terms)
			if err != nil {
				h.Fatal(err)
			}
			if err := h.Settings.Set(h.Context(), map[string]json.RawMessage{"terms_en": value}); err != nil {
				h.Fatal(err)
			}
			return h.Settings.Get().LegalVersion()
		}
		post := func(path, media, body string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
			r.Header.Set("Content-Type", media)
			w := httptest.NewRecorder()
			h.root.ServeHTTP(w, r)
			return w
		}
		signUp := func(email, accepted string) *httptest.ResponseRecorder {
			body := `{"email":"` + email + `","name":"Lin","password":"correct horse!","re_password":"correct horse!"` +
				accepted + `}`
			return post("/api/v2/auth/account_register", "application/json", body)
		}
		first := set("# Terms")
		second := set("# Other terms")
		if first == "" || first == second || set("# Terms") != first {
			h.Fatalf("versions %q and %q", first, second)
		}
		for accepted, code := range map[string]string{"": "required", `,"accepted_terms":"` + second + `"`: "outdated"} {
			w := signUp("lin@example.com", accepted)
			if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), `"accepted_terms"`) ||
				!strings.Contains(w.Body.String(), code) {
				h.Errorf("%q answers %d %s", accepted, w.Code, w.Body)
			}
		}
		if w := signUp("lin@example.com", `,"accepted_terms":"`+first+`"`); w.Code != http.StatusOK {
			h.Fatalf("%d %s", w.Code, w.Body)
		}
		form := "email=wu@example.com&name=Wu&passwd=correct+horse!&repasswd=correct+horse!"
		const asForm = "application/x-www-form-urlencoded"
		if w := post("/v1/auth/register", asForm, form); !strings.Contains(w.Body.String(), "terms") {
			h.Errorf("the older API answers %d %s", w.Code, w.Body)
		}
		if w := post("/v1/auth/register", asForm, form+"&terms="+first); w.Code != http.StatusOK {
			h.Errorf("the older API answers %d %s", w.Code, w.Body)
		}
		for _, email := range []string{"lin@example.com", "wu@example.com"} {
			ids, err := h.Accounts.IDsByEmail(h.Context(), []string{email})
			if err != nil {
				h.Fatal(err)
			}
			one, err := h.Accounts.Acceptance(h.Context(), ids[email])
			if err != nil || one == nil || one.Version != first || !one.AcceptedAt.Equal(h.DB.Now()) {
				h.Errorf("of %s is known %+v, %v", email, one, err)
			}
		}
		if one, err := h.Accounts.Acceptance(h.Context(), h.staff[account.Owner].id); err != nil || one != nil {
			h.Errorf("an owner who never signed up accepted %+v, %v", one, err)
		}
	})
}
