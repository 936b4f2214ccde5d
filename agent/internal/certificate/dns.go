package certificate

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"golang.org/x/crypto/acme"

	"airstrip/agent/internal/dnshost"
)

var errNoHost = errors.New("dns-01 needs to know who hosts the name's zone: write a file with provider and " +
	"credentials, and name it by --dns-file or dns_file")

// dnsHostTimeout bounds a request to a DNS host.
const dnsHostTimeout = time.Minute

// answerDNS adds the record that the issuer looks for and waits until all name servers have it.
func (i *issuer) answerDNS(ctx context.Context, client *acme.Client, token, name string) (func(), error) {
	value, err := client.DNS01ChallengeRecord(token)
	if err != nil {
		return nil, err
	}
	record, remove, err := i.addRecord(ctx, name, value)
	if err != nil {
		return nil, err
	}
	closing := func() {
		if err := remove(); err != nil {
			i.log.Warn("a record that has done its service could not be removed; remove it by hand", "name",
				record.Name, "value", value, "err", err)
		}
	}
	if err := i.names.await(ctx, record); err != nil {
		closing()
		return nil, err
	}
	return closing, nil
}

// addRecord adds the challenge record of a name.
func (i *issuer) addRecord(ctx context.Context, name, value string) (record dnshost.Record, remove func() error,
	err error,
) {
	if i.host == nil {
		return record, nil, errNoHost
	}
	record.Value = value
	if record.Zone, record.Name, err = i.names.locate(ctx, "_acme-challenge."+name); err != nil {
		return record, nil, err
	}
	asking, cancel := context.WithTimeout(ctx, dnsHostTimeout)
	defer cancel()
	undo, err := i.host.Add(asking, record)
	if err != nil {
		return record, nil, fmt.Errorf("putting a record into the zone %s: %w", record.Zone, err)
	}
	return record, func() error {
		// The record is removed even when the agent is being stopped or the order has timed out.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dnsHostTimeout)
		defer cancel()
		return undo(ctx)
	}, nil
}

// TryDNS adds a meaningless record where a challenge record would be, and removes it. It contacts no issuer.
func (k *Keeper) TryDNS(ctx context.Context, name string) error {
	record, remove, err := k.issuer.addRecord(ctx, name, "airstrip-node-check-"+rand.Text())
	if err != nil {
		return err
	}
	if err := remove(); err != nil {
		return fmt.Errorf("removing the record %s again: %w", record.Name, err)
	}
	return nil
}
