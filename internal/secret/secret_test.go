package secret_test

import (
	"bytes"
	"errors"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
)

func TestASecretIsKeptSealedAndCanBeReplacedAndRemoved(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, ctx := secret.New(d, seal.Key{1}), t.Context()
		want := func(value string) {
			t.Helper()
			if got, err := s.Get(ctx, secret.SMTPPassword); err != nil || got != value {
				t.Fatalf("%q, %v, want %q", got, err, value)
			}
		}
		want("")
		for _, value := range []string{"first", "second", ""} {
			if err := s.Set(ctx, secret.SMTPPassword, value); err != nil {
				t.Fatal(err)
			}
			want(value)
		}
		if err := s.Set(ctx, "no_such", "x"); !errors.Is(err, secret.ErrUnknown) {
			t.Errorf("an unknown name: %v", err)
		}
		if err := s.Set(ctx, secret.SMTPPassword, "plain to see"); err != nil {
			t.Fatal(err)
		}
		var stored []byte
		if err := d.NewRaw(`SELECT sealed FROM secret`).Scan(ctx, &stored); err != nil ||
			bytes.Contains(stored, []byte("plain")) {
			t.Errorf("stored as %q, %v", stored, err)
		}
		if _, err := secret.New(d, seal.Key{2}).Get(ctx, secret.SMTPPassword); !errors.Is(err, seal.ErrOpen) {
			t.Errorf("opened with another key: %v", err)
		}
	})
}
