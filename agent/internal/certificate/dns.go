package certificate

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/crypto/acme"

	"airstrip/agent/internal/dnshost"
)

// hostTime bounds what a host of zones is asked for.
const hostTime = time.Minute

// answerDNS puts the record that the issuer looks for, and waits until it is there for everybody.
func (i *issuer) answerDNS(ctx context.Context, client *acme.Client, token, name string) (func(), error) {
	value, err := client.DNS01ChallengeRecord(token)
	if err != nil {
		return nil, err
	}
	record := dnshost.Record{Value: value}
	if record.Zone, record.Name, err = i.names.locate(ctx, "_acme-challenge."+name); err != nil {
		return nil, err
	}
	asking, cancel := context.WithTimeout(ctx, hostTime)
	defer cancel()
	remove, err := i.host.Add(asking, record)
	if err != nil {
		return nil, fmt.Errorf("putting a record into the zone %s: %w", record.Zone, err)
	}
	closing := func() {
		// Also where the agent is being stopped, or the order's time is over.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hostTime)
		defer cancel()
		if err := remove(ctx); err != nil {
			i.log.Warn("a record that has done its service could not be removed; remove it by hand", "name", record.Name, "value", value, "err", err)
		}
	}
	if err := i.names.await(ctx, record); err != nil {
		closing()
		return nil, err
	}
	return closing, nil
}
