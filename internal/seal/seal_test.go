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
