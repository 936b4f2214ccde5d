package dnshost

import (
	"context"
	"net/url"
	"strconv"
)

type digitalocean struct{ api bearer }

func (d digitalocean) Add(ctx context.Context, r Record) (func(context.Context) error, error) {
	records := "https://api.digitalocean.com/v2/domains/" + url.PathEscape(r.Zone) + "/records"
	var made struct {
		Record struct {
			ID int64 `json:"id"`
		} `json:"domain_record"`
	}
	if err := d.api.call(ctx, "POST", records, object{"type": "TXT", "name": r.label(), "data": r.Value, "ttl": 60},
		&made); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		return d.api.call(ctx, "DELETE", records+"/"+strconv.FormatInt(made.Record.ID, 10), nil, nil)
	}, nil
}
