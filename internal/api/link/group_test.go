package link_test

import (
	"context"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/node"
)

func TestFetch_OtherGroup_NeedsSignature(t *testing.T) {
	each(t, func(s *site) {
		n := node.Draft("Osaka", node.VLESS, "own.example.com", 443)
		n.GroupHosts = node.GroupHosts{2: {Host: "second.example.com"}}
		s.add(n, node.Settings{})
		signed, err := s.links.GroupQuery(t.Context(), user, 2)
		if err != nil {
			t.Fatal(err)
		}
		s.do(func(ctx context.Context, tx bun.Tx) error { return s.services.Open(ctx, tx, 8) })
		others, err := s.links.GroupQuery(t.Context(), 8, 2)
		if err != nil {
			t.Fatal(err)
		}
		for query, host := range map[string]string{
			"":                                     "own.example.com",
			signed:                                 "second.example.com",
			others:                                 "own.example.com",
			"manual_link_group=2":                  "own.example.com",
			"manual_link_group=2&group_sign=x":     "own.example.com",
			strings.Replace(signed, "=2", "=3", 1): "own.example.com",
		} {
			body := s.get("client_type=ClashMeta&" + query).Body.String()
			if !strings.Contains(body, `"server":"`+host+`"`) {
				t.Errorf("%q does not lead to %s:\n%s", query, host, body)
			}
		}
		if body := s.get("client_type=Surge5&" + signed).Body.String(); !strings.Contains(body,
			signed[strings.Index(signed, "group_sign"):strings.Index(signed, "&")]) {
			t.Errorf("the file refreshes itself from elsewhere:\n%s", body)
		}
		if _, err := s.links.GroupQuery(t.Context(), 99, 2); err == nil {
			t.Error("nobody's link was signed")
		}
	})
}
