package dnshost

import (
	"context"
	"net/url"
)

// hetzner is the DNS of Hetzner Cloud.
type hetzner struct{ api bearer }

func (h hetzner) Add(ctx context.Context, r Record) (func(context.Context) error, error) {
	actions := "https://api.hetzner.cloud/v1/zones/" + url.PathEscape(r.Zone) + "/rrsets/" +
		url.PathEscape(r.label()) + "/TXT/actions/"
	records := []object{{"value": `"` + r.Value + `"`}}
	if err := h.api.call(ctx, "POST", actions+"add_records", object{"records": records, "ttl": 60}, nil); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		return h.api.call(ctx, "POST", actions+"remove_records", object{"records": records}, nil)
	}, nil
}
