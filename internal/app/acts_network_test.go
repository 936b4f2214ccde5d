package app

import (
	"encoding/json"
	"fmt"
	"time"

	"airstrip/internal/link"
	"airstrip/internal/node"
)

// networkActs are those about nodes, rules, addresses and links.
func (h *actSite) networkActs() map[string]func() act {
	return map[string]func() act{
		"staff_audit_rule_make": func() act {
			return h.staffCall(h.admin, "audit-rules",
				`{"name":"test","pattern":"example"}`)
		},
		"staff_audit_rule_change": func() act {
			return h.staffCall(h.admin, "audit-rules/%d",
				`{"name":"test","pattern":"another"}`, h.addRule())
		},
		"staff_audit_rule_remove": func() act { return h.staffCall(h.admin, "audit-rules/%d", "", h.addRule()) },
		"staff_ip_unblock": func() act {
			_, err := h.Nodes.Blocklist.Block(h.Context(), h.addNode(), []string{"8.8.4.4"})
			h.must(err)
			return h.staffCall(h.admin, "blocked-ips/unblock", `{"ip":"8.8.4.4"}`)
		},
		"staff_client_add":    func() act { return h.staffCall(h.admin, "clients", `{"id":"own",`+ownClient+`}`) },
		"staff_client_change": func() act { return h.staffCall(h.admin, "clients/"+h.addClient("other"), `{`+ownClient+`}`) },
		"staff_client_remove": func() act { return h.staffCall(h.admin, "clients/"+h.addClient("third"), "") },
		"staff_link_template_set": func() act {
			return h.staffCall(h.admin, "link-templates/site/0", `{"document":{"rules":"none"}}`)
		},
		"staff_link_template_remove": func() act {
			h.must(h.Links.SetTemplate(h.Context(), link.Template{
				Scope:    link.ForSite,
				Document: json.RawMessage(`{"rules":"none"}`),
			}))
			return h.staffCall(h.admin, "link-templates/site/0", "")
		},
		"staff_node_add": func() act {
			return h.staffCall(h.admin, "nodes", `{"protocol":"trojan","name":"jp","address":"jp.example","port":443}`)
		},
		"staff_node_change":  func() act { return h.staffCall(h.admin, "nodes/%d", `{"port":8080}`, h.addNode().ID) },
		"staff_node_remove":  func() act { return h.staffCall(h.admin, "nodes/%d", "", h.addNode().ID) },
		"staff_node_secret":  func() act { return h.staffCall(h.admin, "nodes/%d/secret", `{}`, h.addNode().ID) },
		"staff_node_silence": func() act { return h.staffCall(h.admin, "nodes/%d/silence", `{"hours":2}`, h.addNode().ID) },
		"staff_nodes_change": func() act {
			return h.staffCall(h.admin, "nodes/change-several", fmt.Sprintf(`{"ids":[%d],"rate":"2"}`, h.addNode().ID))
		},
		"staff_link_fetches_csv": func() act { return h.staffCall(h.admin, "link-fetches/csv", "") },
		"staff_audit_rules_try": func() act {
			a := h.staffCall(h.admin, "audit-rules/try", `{"destination":"www.example.com:443"}`)
			a.reads = true
			return a
		},
		"staff_ip_ban": func() act {
			return h.staffCall(h.admin, "ip-bans", fmt.Sprintf(`{"ip_cidr":"203.0.113.0/24","task_end_at":%q,"ban_context":"spam"}`,
				h.now.Add(time.Hour).Format(time.RFC3339)))
		},
		"staff_ip_unban": func() act { return h.staffCall(h.admin, "ip-bans/free", `{"ip_cidr":"203.0.113.0/24"}`) },
		"staff_link_groups_deal": func() act {
			_, err := h.Nodes.Change(h.Context(), h.addNode().ID, func(n *node.Node) {
				n.GroupHosts = node.GroupHosts{1: {Host: "one.example"}}
			})
			h.must(err)
			return h.staffCall(h.admin, "link-groups/deal", `{}`)
		},
		"staff_user_link_reset": func() act {
			return h.staffCall(h.support, "users/%d/link/reset", `{"reason":"it leaked"}`, h.user.id)
		},
		"staff_node_certificate": func() act {
			made, _, err := h.Nodes.Add(h.Context(), node.Draft("sg", node.Trojan, "sg.example", 443))
			h.must(err)
			return h.staffCall(h.admin, "nodes/%d/certificate", "", made.ID)
		},
		"staff_held_batch_count": func() act {
			nodeID, id := h.heldBatch()
			return h.staffCall(h.admin, "nodes/%d/held-batches/%d/count", `{"rate":"1","note":"it was cut off"}`, nodeID, id)
		},
		"staff_held_batch_dismiss": func() act {
			nodeID, id := h.heldBatch()
			return h.staffCall(h.admin, "nodes/%d/held-batches/%d/dismiss", `{"note":"it was cut off"}`, nodeID, id)
		},
		"staff_nodes_rebuild": func() act {
			h.addOldNode()
			return h.staffCall(h.admin, "nodes/rebuild", `{"reason":"agents refuse it"}`)
		},
		"old_ss_node_rebuild_vmess": func() act {
			h.addOldNode()
			return act{as: h.admin, path: "/api/v2/admin_api/old_ss_node_rebuild_vmess?apply=true"}
		},
		"POST /v1/admin/request_ip_ban_task_insert": func() act {
			return act{as: h.admin, path: "/v1/admin/request_ip_ban_task_insert?ip_cidr=" + h.network + "&task_end_at=" +
				h.until}
		},
		"POST /v1/admin/request_ip_ban_task_unban": func() act {
			return act{as: h.admin, path: "/v1/admin/request_ip_ban_task_unban?ip_cidr=" + h.network}
		},
		"GET /v1/admin/gen_user_link_v1": func() act {
			return act{
				as:   h.owner,
				path: "/v1/admin/gen_user_link_v1?a1_host=entry.example",
			}
		},
		"POST /v1/total/traffic/node/{node_id}": func() act {
			return act{as: h.admin, path: "/v1/total/traffic/node/1?data_start_ats=2026-01-01T00:00:00Z", reads: true}
		},
	}
}
