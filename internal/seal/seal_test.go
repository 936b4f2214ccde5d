package seal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOnlyTheSameKeyAndPurposeOpen(t *testing.T) {
	a, b := Key{1}, Key{2}
	sealed := a.Seal("link", []byte("secret"))
	if plain, err := a.Open("link", sealed); err != nil || string(plain) != "secret" {
		t.Fatalf("opened %q, %v", plain, err)
	}
	damaged := bytes.Clone(sealed)
	damaged[len(damaged)-1]++
	for name, try := range map[string]func() ([]byte, error){
		"another key":     func() ([]byte, error) { return b.Open("link", sealed) },
		"another purpose": func() ([]byte, error) { return a.Open("jwt", sealed) },
		"damaged":         func() ([]byte, error) { return a.Open("link", damaged) },
		"empty":           func() ([]byte, error) { return a.Open("link", nil) },
	} {
		if _, err := try(); !errors.Is(err, ErrOpen) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheKeyFileIsMadeOnceAndPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first, err := LoadKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	second, err := LoadKey(dir)
	if err != nil || first != second {
		t.Fatalf("the key changed (%v)", err)
	}
	info, err := os.Stat(filepath.Join(dir, "secret.key"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "secret.key"), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadKey(dir); err == nil {
		t.Fatal("a damaged key file was accepted")
	}
}

func TestParseKey_RefusesOneRepeatedByte(t *testing.T) {
	for _, text := range []string{strings.Repeat("00", 32), strings.Repeat("ff", 32), strings.Repeat("A", 43) + "="} {
		if _, err := ParseKey(text); err == nil {
			t.Errorf("%s is taken for a key", text)
		}
	}
}

func TestRowCipher_OpensOnlyInItsRowWithItsKeyAndPurpose(t *testing.T) {
	a, b := Key{1}, Key{2}
	sealed := a.RowCipher("link").Seal(7, []byte("secret"))
	if plain, err := a.RowCipher("link").Open(7, sealed); err != nil || string(plain) != "secret" {
		t.Fatalf("opened %q, %v", plain, err)
	}
	damaged := bytes.Clone(sealed)
	damaged[len(damaged)-1]++
	for name, try := range map[string]func() ([]byte, error){
		"another key":     func() ([]byte, error) { return b.RowCipher("link").Open(7, sealed) },
		"another purpose": func() ([]byte, error) { return a.RowCipher("jwt").Open(7, sealed) },
		"another row":     func() ([]byte, error) { return a.RowCipher("link").Open(8, sealed) },
		"no row":          func() ([]byte, error) { return a.Open("link", sealed) },
		"damaged":         func() ([]byte, error) { return a.RowCipher("link").Open(7, damaged) },
		"empty":           func() ([]byte, error) { return a.RowCipher("link").Open(7, nil) },
	} {
		if _, err := try(); !errors.Is(err, ErrOpen) {
			t.Errorf("%s: %v, want ErrOpen", name, err)
		}
	}
}

func TestDigest_DependsOnKeyPurposeAndValue(t *testing.T) {
	seen := map[string]bool{}
	for _, key := range []Key{{1}, {2}} {
		for _, purpose := range []string{"a", "b"} {
			for _, value := range []string{"x", "y", "x"} {
				digest := key.Digest(purpose, []byte(value))
				if len(digest) != 16 {
					t.Fatalf("%d bytes, want 16", len(digest))
				}
				seen[string(digest)] = true
			}
		}
	}
	if len(seen) != 8 {
		t.Errorf("%d digests, want 8", len(seen))
	}
}

func BenchmarkRowCipher_Open(b *testing.B) {
	c := Key{1}.RowCipher("link")
	sealed := c.Seal(7, make([]byte, 38)) // a UUID and a password of 22 characters
	for b.Loop() {
		if _, err := c.Open(7, sealed); err != nil {
			b.Fatal(err)
		}
	}
}
