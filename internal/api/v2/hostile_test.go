package v2_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"airstrip/internal/account"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

// hostile are JSON texts that replace every field of every body in turn.
var hostile = []string{
	`null`, `true`, `{}`, `[]`, `{"a":{"a":{}}}`, `1e999`, `-9223372036854775809`, `9223372036854775808`, `0.1`, `-1`,
	`""`, `"\u0000"`, `"a\u0000b@example.com"`, "\"a\xffb@example.com\"", `"\ud800"`, `"` + strings.Repeat("长",
		20_000) + `"`,
	`"a@example.com\r\nBcc: x@example.com"`, `"\"a b\"@example.com"`, `"Ming <a@example.com>"`,
	`"a@example.com, b@example.com"`, `"аdmin@example.com"`,
	`"admin@exаmple.com"`, `"ADMIN@EXAMPLE.COM\u200b"`, `"' OR 1=1 --"`, `"%s%n$1?0{{.}}"`, `"../../etc/passwd"`,
	`"2026-13-45T99:99:99Z"`, `"00000000-0000-0000-0000-000000000000"`,
}

const tooDeep = 11_000 // package json follows 10,000 levels

// plausible returns a value that a field of this name and kind may have.
func plausible(name string, s *huma.Schema) string {
	switch {
	case s.Type == huma.TypeBoolean:
		return "true"
	case s.Type == huma.TypeInteger || s.Type == huma.TypeNumber:
		return "1"
	case s.Type == huma.TypeArray:
		return "[]"
	case strings.Contains(name, "email_code") || strings.Contains(name, "ga_token"):
		return `"012345"`
	case strings.HasSuffix(name, "email"):
		return `"somebody@example.com"`
	}
	return `"some text"`
}

// spoilt returns bodies of an operation that each have one thing wrong: without -full, for each field some of the texts
// that random chooses.
func (p *people) spoilt(o *huma.Operation, random *rand.Rand) []string {
	whole := []string{
		``, `null`, `[]`, `"x"`, `1`, `{`, `{}}`, `{"a":1,"a":2}`, "\ufeff{}", "\xff", "{\"\xff\":1}",
		strings.Repeat("[", tooDeep), strings.Repeat(`{"a":`, tooDeep), `{"a":"` + strings.Repeat("x", 1<<20) + `"}`,
	}
	if o.RequestBody == nil {
		return whole
	}
	s := o.RequestBody.Content["application/json"].Schema
	if s.Ref != "" {
		s = p.contract.Components.Schemas.SchemaFromRef(s.Ref)
	}
	for _, spoil := range slices.Sorted(maps.Keys(s.Properties)) {
		for _, chosen := range random.Perm(len(hostile))[:sampleSize(4, len(hostile))] {
			value := hostile[chosen]
			var body strings.Builder
			for i, name := range slices.Sorted(maps.Keys(s.Properties)) {
				if i > 0 {
					body.WriteByte(',')
				}
				if name != spoil {
					fmt.Fprintf(&body, "%q:%s", name, plausible(name, s.Properties[name]))
				} else {
					fmt.Fprintf(&body, "%q:%s", name, value)
				}
			}
			whole = append(whole, "{"+body.String()+"}")
		}
	}
	return whole
}

// aims returns the addresses and bodies of an operation that have something wrong.
func (p *people) aims(path string, o *huma.Operation, random *rand.Rand) (aims [][2]string) {
	fill := func(value string) string {
		if from, to := strings.IndexByte(path, '{'), strings.IndexByte(path, '}'); to > 0 {
			return path[:from] + value + path[to+1:]
		}
		return path
	}
	for _, value := range []string{
		"%00", "%FF%FE", "0", "-1", "99999999999999999999", "x",
		strings.Repeat("9", 10_000),
	} {
		query := "?z=" + value
		for _, param := range o.Parameters {
			if param.In == "query" {
				query += "&" + param.Name + "=" + value
			}
		}
		aims = append(aims, [2]string{fill(value), ""}, [2]string{fill("1") + query, ""})
	}
	for _, body := range p.spoilt(o, random) {
		aims = append(aims, [2]string{fill("1"), body})
	}
	return aims
}

func TestNoInputMakesTheServerFailAndWrongFieldsAreNamed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := serve(t, d)
		p.signUp("user@example.com")
		if err := p.SetRole(t.Context(), "user@example.com", account.Owner); err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(sampleSeed(t), 0))
		p.set("captcha_login", `"never"`) // wrong passwords are among the input, and some operations end the session
		calls := 0
		// Each call comes from a network of its own, so that no limit answers instead of what is tested.
		call := func(method, path, bearer, body string) answer {
			calls++
			return p.call(method, path, bearer, body, "From", fmt.Sprintf("%d.%d.%d.1", 20+calls>>16, calls>>8&255,
				calls&255))
		}
		var in tokens
		for path, item := range p.contract.Paths {
			for method, o := range map[string]*huma.Operation{
				http.MethodGet: item.Get, http.MethodPost: item.Post,
				http.MethodDelete: item.Delete, http.MethodPut: item.Put,
			} {
				if o == nil {
					continue
				}
				if call("GET", "/api/v2/user", in.AccessToken, "").status != http.StatusOK {
					p.want(call("POST", login, "", fmt.Sprintf(`{"email":"user@example.com","password":%q}`, password)),
						200, "").into(t, &in)
				}
				for _, aim := range p.aims(path, o, random) {
					a := call(method, aim[0], in.AccessToken, aim[1])
					if a.status >= 500 || strings.Contains(a.raw, "SQLSTATE") {
						t.Errorf("%s %.100s %.200q: %d %s", method, aim[0], aim[1], a.status, a.raw)
					}
					if a.status == 422 && (len(a.Errors) == 0 || a.Errors[0].Field == "" || a.Errors[0].Message == "") {
						t.Errorf("%s %.100s %.200q names no field: %s", method, aim[0], aim[1], a.raw)
					}
				}
			}
		}
		if calls < 1000 {
			t.Errorf("only %d calls", calls)
		}
	})
}

func TestWhatIsNoTextIsNamedInBodyAndQuery(t *testing.T) {
	p := serve(t, dbtest.SQLite(t))
	p.wantFields(p.call("POST", login, "", `{"email":"a@example.com","password":"x","email":"b@example.com"}`),
		"email:repeated")
	p.wantFields(p.call("POST", login, "", `{"email":"a@example.com","password":"a\u0000b"}`), "password:characters")
	p.want(p.call("POST", login, "", "{\"email\":\"a@example.com\",\"password\":\"\xff\"}"), 400, "unreadable")
	owner := p.staff(account.Owner).AccessToken
	p.wantFields(p.call("GET", "/api/v2/staff/mails?recipient=%00", owner, ""), "recipient:characters")
	p.wantFields(p.call("GET", "/api/v2/staff/mails?recipient=%ff", owner, ""), "recipient:characters")
	// Who may not call learns nothing of their input, but that no operation takes it.
	p.want(p.call("GET", "/api/v2/staff/mails?recipient=%E2%80%AE", "", ""), 401, "sign_in_required")
	p.want(p.call("GET", "/api/v2/staff/clients/%00", "", ""), 400, "unreadable")
	p.wantFields(p.call("GET", "/api/v2/staff/mails?recipient=%E2%80%AE", owner, ""), "recipient:invisible_characters")
	p.wantFields(p.call("POST", "/api/v2/user/account/edit-profile", owner, `{"user_name":"\u202enimda"}`),
		"user_name:invisible_characters")
	p.wantFields(p.call("POST", "/api/v2/user/account/edit-profile", owner, `{"user_name":"\ud800"}`),
		"user_name:characters")
	p.want(p.call("POST", "/api/v2/user/account/edit-profile", owner, `{"user_name":"👩🏽‍💻"}`), 200, "")
	p.wantFields(p.call("POST", login, "", `{"email":"a@example.com","PASSWORD":"x"}`),
		"PASSWORD:unknown password:required")
	for _, media := range []string{
		"text/plain", "application/xml", "multipart/form-data",
		"application/x-www-form-urlencoded",
	} {
		p.want(p.call("POST", login, "", `{"email":"a@example.com","password":"x"}`, "Content-Type", media), 415,
			"unsupported_media_type")
	}
}

func TestNoHeaderOfTheCallerGetsIntoALink(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := serve(t, d)
		p.signUp("a@example.com")
		p.want(p.call("POST", requestResetCode, "", `{"email":"a@example.com"}`, "Host", "evil.example",
			"X-Forwarded-Host", "evil.example",
			"X-Forwarded-Proto", "gopher", "Forwarded", `host="evil.example"`, "X-Original-Host", "evil.example",
			"Origin", "https://evil.example", "Referer", "https://evil.example/"), 200, "")
		all, err := p.mails.List(t.Context(), 1)
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		_, letter, err := p.mails.Show(t.Context(), all[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(letter.Text+letter.HTML, "evil") ||
			!strings.Contains(letter.Text, "http://localhost:8080/auth/forgot-password#") {
			t.Errorf("%s", letter.Text)
		}
	})
}
