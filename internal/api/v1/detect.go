package v1

import (
	"net/http"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/node"
)

// Detect adds the older routes of the audit: its rules, and what they stopped of the user's.
func (r *Router) Detect(nodes *node.Nodes) {
	r.user("GET /v1/user/detect", paged, func(req *http.Request, _ account.Identity, in Input) (Answer, error) {
		p := in.paging()
		rules, err := nodes.Rules.InForce(req.Context())
		if err != nil {
			return Answer{}, err
		}
		total := int64(len(rules))
		rows := []map[string]any{}
		for _, rule := range rules[min(p.offset(), total):min(p.offset()+p.size, total)] {
			rows = append(rows, map[string]any{
				"id": rule.ID, "name": rule.Name, "text": rule.Text,
				"regex": rule.Pattern, "type": 1,
			})
		}
		return p.answer(rows, total, "id", "name", "text", "regex", "type"), nil
	})
	r.user("GET /v1/user/detect/log", paged, func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		p := in.paging()
		records, total, err := nodes.Rules.HitLog(req.Context(), node.HitFilter{UserID: who.UserID}, p.size, p.offset())
		rows := []map[string]any{}
		for _, h := range records {
			name := ""
			if localized := h.LocalizedNode(api.CallerOf(req.Context()).Lang); localized != nil {
				name = *localized
			}
			rows = append(rows, map[string]any{
				"id": h.ID, "user_id": who.UserID, "list_id": h.RuleID, "rule_name": h.RuleName, "node_id": h.NodeID,
				"node_name": name, "count": h.Count, "datetime": h.At,
			})
		}
		return p.answer(rows, total, "id", "list_id", "rule_name", "node_id", "node_name", "count", "datetime"), err
	})
}
