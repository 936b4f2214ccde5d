package app

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/audit"
	"airstrip/internal/node"
)

// No role is shown what opens a node's proxy: neither lists, nor answers to changes, nor the audit log have it. That a
// secret is set is shown, a change of the settings that leaves it out keeps it, and the log shows that one changed.
func TestStaffNodes_SecretsOfSettings_AreShownToNobody(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		const serverKey, obfs, other = "cTdaazFtV3g5UnRCNHZIZA==", "kestrel-under-the-bridge", "heron-over-the-water"
		admin := h.staff[account.Admin]
		add := func(body string) (made struct{ Node struct{ ID int64 } }) {
			h.Helper()
			text := h.ask(admin, 200, "POST", "/api/v2/staff/nodes", body, &made)
			hidden(h.T, "the answer to a new node", text, serverKey, obfs)
			return made
		}
		shadowsocks := add(`{"protocol":"shadowsocks","name":"ss","address":"ss.example","port":8388,
			"settings":{"method":"2022-blake3-aes-128-gcm","server_key":"` + serverKey + `"}}`).Node.ID
		hysteria := add(`{"protocol":"hysteria2","name":"hy","address":"hy.example","port":8443,
			"settings":{"obfs":"salamander","obfs_password":"` + obfs + `"}}`).Node.ID
		for role, member := range h.staff {
			for id, want := range map[int64][]string{shadowsocks: {"server_key"}, hysteria: {
				"obfs_password",
				"tls.key",
			}} {
				path := fmt.Sprintf("/api/v2/staff/nodes/%d", id)
				if w := h.call(h.Context(), h.present(member), "GET", path, ""); role == account.Finance {
					if w.Code != 403 {
						h.Errorf("%s is answered %d", role, w.Code)
					}
					continue
				}
				var one struct {
					SecretsSet []string `json:"secrets_set"`
				}
				hidden(h.T, string(role)+" asks for a node", h.ask(member, 200, "GET", path, "", &one), serverKey, obfs)
				if !slices.Equal(one.SecretsSet, want) {
					h.Errorf("%s: the secrets %v are set, want %v", role, one.SecretsSet, want)
				}
				hidden(h.T, string(role)+" lists nodes", h.ask(member, 200, "GET", "/api/v2/staff/nodes", "", nil),
					serverKey, obfs)
			}
		}

		hidden(h.T, "a change that leaves them out", h.ask(admin, 200, "PATCH", fmt.Sprintf("/api/v2/staff/nodes/%d",
			shadowsocks),
			`{"settings":{"method":"2022-blake3-aes-128-gcm"}}`, nil), serverKey)
		hidden(h.T, "a change of the password", h.ask(admin, 200, "PATCH", fmt.Sprintf("/api/v2/staff/nodes/%d",
			hysteria),
			`{"settings":{"obfs":"salamander","obfs_password":"`+other+`"}}`, nil), obfs, other)
		for id, want := range map[int64]node.Settings{
			shadowsocks: {ServerKey: serverKey},
			hysteria:    {ObfsPassword: other},
		} {
			n, err := h.Nodes.Get(h.Context(), id)
			if err != nil || n.Settings.ServerKey != want.ServerKey || n.Settings.ObfsPassword != want.ObfsPassword {
				h.Errorf("node %d has the key %q and the password %q: %v", id, n.Settings.ServerKey,
					n.Settings.ObfsPassword, err)
			}
		}
		found, _, err := h.Audit.Find(h.Context(), audit.Filter{
			Action: "node.change", ObjectID: fmt.Sprint(hysteria),
			Limit: 1,
		})
		if err != nil || len(found) != 1 || !strings.Contains(found[0].Before, `"obfs_password":"(secret)"`) ||
			!strings.Contains(found[0].After, `"obfs_password":"(another secret)"`) {
			h.Errorf("the log has %+v, %v", found, err)
		}
		hidden(h.T, "the audit log", h.rowsOf(h.Context(), "audit_entry"), serverKey, obfs, other, "PRIVATE KEY")
	})
}

// hidden fails where text has one of the secrets.
func hidden(t *testing.T, what, text string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("%s has the secret %s", what, secret)
		}
	}
}
