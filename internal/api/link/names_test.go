package link_test

import (
	"context"
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/fault"
	"airstrip/internal/node"
)

// setLanguage creates an account of the link's user that last used a language.
func (s *site) setLanguage(lang fault.Lang) {
	s.Helper()
	s.do(func(ctx context.Context, tx bun.Tx) error {
		id := uuid.New()
		_, err := tx.NewRaw(`INSERT INTO account (id, uuid, email, name, role, password, password_version, password_changed_at,
			invite_code, created_at, lang) VALUES (?, ?, 'a@example.com', 'A', '', '', ?, ?, 'A', ?, ?)
			ON CONFLICT (id) DO UPDATE SET lang = EXCLUDED.lang`, user, id, id, s.db.Now(), s.db.Now(), lang).Exec(ctx)
		return err
	})
}

func TestFetch_NodeNames_AreInLanguageOfUser(t *testing.T) {
	each(t, func(s *site) {
		nodes, err := s.nodes.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		english := "Hong Kong 01"
		if _, err := s.nodes.Change(t.Context(), nodes[0].ID, func(n *node.Node) {
			n.Names = n.Names.With(fault.EN, &english)
		}); err != nil {
			t.Fatal(err)
		}
		fetch := func() (body, etag string) {
			t.Helper()
			w := s.get("?client_type=V2RayN&is_remark_emoji=false&is_node_extend=false")
			if w.Code != 200 {
				t.Fatal(w.Code, w.Body)
			}
			text := plain(t, w.Body.String())
			return text, w.Header().Get("ETag")
		}
		chinese, first := fetch()
		if !strings.Contains(chinese, "香港") {
			t.Fatalf("nobody knows what the user reads, but the file has no default name: %s", chinese)
		}
		s.setLanguage(fault.EN)
		inEnglish, second := fetch()
		if !strings.Contains(inEnglish, "Hong Kong 01") || strings.Contains(inEnglish, "香港") || second == first {
			t.Errorf("in English, %s: %s", second, inEnglish)
		}
		if !strings.Contains(inEnglish, "Tokyo") {
			t.Errorf("a node without a name in English is not called by its own: %s", inEnglish)
		}
		if again, third := fetch(); again != inEnglish || third != second {
			t.Errorf("fetched again it differs: %s, %s", third, again)
		}
		s.setLanguage(fault.ZH)
		if back, third := fetch(); back != chinese || third != first {
			t.Errorf("in Chinese again it is another file: %s, %s", third, back)
		}
	})
}

func TestFetch_Notices_AreInLanguageOfUser(t *testing.T) {
	each(t, func(s *site) {
		for lang, texts := range map[fault.Lang]struct{ own, other string }{
			fault.ZH: {"剩余流量：100.00 GB", "Traffic"}, fault.EN: {"Traffic left: 100.00 GB", "剩余"},
		} {
			s.setLanguage(lang)
			w := s.get("?client_type=V2RayN&is_node_extend=true")
			if got := plain(t, w.Body.String()); !strings.Contains(got, texts.own) ||
				strings.Contains(got, texts.other) {
				t.Errorf("%s: %s", lang, got)
			}
		}
	})
}

// plain decodes the entries of a list of share links, with readable names.
func plain(t *testing.T, body string) string {
	t.Helper()
	list, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := url.PathUnescape(string(list))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
