// Package dnshost adds and removes TXT records at the providers that host DNS zones, for ACME's dns-01 challenge. Each
// provider is one file that speaks its API. Credentials come from a file on the node and appear in no error message. A
// record is removed by its own ID or value, so other records of the same name stay.
package dnshost

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
)

// Host changes the records of zones at one provider.
type Host interface {
	// Add adds a record and returns a function that removes this one and no other of the same name.
	Add(context.Context, Record) (remove func(context.Context) error, err error)
}

// Record is a TXT record. Zone and Name are fully qualified, without the final dot.
type Record struct{ Zone, Name, Value string }

// label returns the part of the name inside its zone.
func (r Record) label() string {
	if r.Name == r.Zone {
		return "@"
	}
	return strings.TrimSuffix(r.Name, "."+r.Zone)
}

// kind describes a provider: the settings that it needs and those that it accepts in addition.
type kind struct {
	needs, takes []string
	open         func(settings map[string]string, client *http.Client) (Host, error)
}

var kinds = map[string]kind{
	"alidns": {
		needs: []string{"access_key_id", "access_key_secret"},
		open: func(s map[string]string, c *http.Client) (Host, error) {
			return alidns{id: s["access_key_id"], secret: s["access_key_secret"], client: c}, nil
		},
	},
	"cloudflare": {needs: []string{"token"}, open: func(s map[string]string, c *http.Client) (Host, error) {
		return cloudflare{bearer{s["token"], c}}, nil
	}},
	"digitalocean": {needs: []string{"token"}, open: func(s map[string]string, c *http.Client) (Host, error) {
		return digitalocean{bearer{s["token"], c}}, nil
	}},
	"hetzner": {needs: []string{"token"}, open: func(s map[string]string, c *http.Client) (Host, error) {
		return hetzner{bearer{s["token"], c}}, nil
	}},
	"rfc2136": {needs: []string{"server", "key_name", "key"}, takes: []string{"key_algorithm"}, open: openRFC2136},
	"tencentcloud": {
		needs: []string{"secret_id", "secret_key"},
		open: func(s map[string]string, c *http.Client) (Host, error) {
			return tencentcloud{id: s["secret_id"], key: s["secret_key"], client: c}, nil
		},
	},
}

// Load reads a file that names the provider and holds its credentials.
func Load(path string) (Host, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	host, err := open(text, http.DefaultClient)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return host, nil
}

// open never repeats a value in its errors: it may be a secret in the wrong field.
func open(text []byte, client *http.Client) (Host, error) {
	var settings map[string]string
	if json.Unmarshal(text, &settings) != nil {
		return nil, fmt.Errorf(`this is not a JSON object of texts such as {"provider": "cloudflare", "token": "…"}`)
	}
	known := strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")
	provider := settings["provider"]
	if provider == "" {
		return nil, fmt.Errorf("provider is missing; it is one of %s", known)
	}
	k, ok := kinds[provider]
	if !ok {
		return nil, fmt.Errorf("provider is none of %s", known)
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if name != "provider" && !slices.Contains(k.needs, name) && !slices.Contains(k.takes, name) {
			return nil, fmt.Errorf("%s has no setting %q; it needs %s", provider, name, strings.Join(k.needs, ", "))
		}
	}
	for _, name := range k.needs {
		if settings[name] == "" {
			return nil, fmt.Errorf("%s needs %s, which is missing", provider, name)
		}
	}
	return k.open(settings, client)
}
