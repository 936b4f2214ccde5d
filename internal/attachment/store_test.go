package attachment_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"airstrip/internal/attachment"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/setting"
)

// signedOnly stands before an S3 server and lets through no request whose signature, or that of a part of whose body,
// is not right: gofakes3 keeps objects as S3 does, and checks no signatures.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
type signedOnly struct {
	*testing.T
	next http.Handler

	mu      sync.Mutex
	refused int
}

const (
	accessKey = "AKIDEXAMPLE"
	secretKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
)

func (s *signedOnly) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.isSigned(r) {
		s.mu.Lock()
		s.refused++
		s.mu.Unlock()
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `<Error><Code>SignatureDoesNotMatch</Code><Message>no</Message></Error>`)
		return
	}
	s.next.ServeHTTP(w, r)
}

// refusals returns how many requests were refused since the last call.
func (s *signedOnly) refusals() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.refused
	s.refused = 0
	return n
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

func hexOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// isSigned tells whether the signatures of a request are right. Its body can still be read.
func (s *signedOnly) isSigned(r *http.Request) bool {
	fields := map[string]string{}
	auth, _ := strings.CutPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ")
	for _, field := range strings.Split(auth, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		fields[name] = value
	}
	scope, ok := strings.CutPrefix(fields["Credential"], accessKey+"/")
	parts := strings.Split(scope, "/")
	if !ok || len(parts) != 4 || parts[1] != "eu-west-9" || parts[2] != "s3" {
		return false
	}
	key := []byte("AWS4" + secretKey)
	for _, part := range parts {
		key = mac(key, part)
	}
	var headers strings.Builder
	for _, name := range strings.Split(fields["SignedHeaders"], ";") {
		value := r.Header.Get(name)
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = strconv.FormatInt(r.ContentLength, 10)
		}
		fmt.Fprintf(&headers, "%s:%s\n", name, strings.TrimSpace(value))
	}
	content := r.Header.Get("X-Amz-Content-Sha256")
	canonical := strings.Join([]string{
		r.Method, r.URL.EscapedPath(), r.URL.Query().Encode(), headers.String(), fields["SignedHeaders"], content,
	}, "\n")
	at := r.Header.Get("X-Amz-Date")
	want := hex.EncodeToString(mac(key, "AWS4-HMAC-SHA256\n"+at+"\n"+scope+"\n"+hexOf([]byte(canonical))))
	if want != fields["Signature"] {
		return false
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		s.Error(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	if !strings.HasPrefix(content, "STREAMING-AWS4-HMAC-SHA256-PAYLOAD") {
		return content == hexOf(raw)
	}
	for before := want; ; {
		line, rest, _ := bytes.Cut(raw, []byte("\r\n"))
		length, signature, _ := strings.Cut(string(line), ";chunk-signature=")
		n, err := strconv.ParseInt(length, 16, 32)
		if err != nil || int(n) > len(rest) {
			return false
		}
		part := rest[:n]
		before = hex.EncodeToString(mac(key, strings.Join([]string{
			"AWS4-HMAC-SHA256-PAYLOAD", at, scope, before, hexOf(nil), hexOf(part),
		}, "\n")))
		if before != signature {
			return false
		}
		if n == 0 {
			return true
		}
		raw = bytes.TrimPrefix(rest[n:], []byte("\r\n"))
	}
}

func newStore(t *testing.T, d *db.DB, dir string) (*attachment.Store, *setting.Settings, *secret.Secrets) {
	t.Helper()
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	secrets := secret.New(d, seal.Key{1})
	return attachment.NewStore(dir, settings, secrets), settings, secrets
}

func read(t *testing.T, s *attachment.Store, in attachment.Place, name uuid.UUID) ([]byte, error) {
	t.Helper()
	file, err := s.Open(t.Context(), in, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// keeps checks that a place gives back what it took, and forgets it.
func keeps(t *testing.T, s *attachment.Store, in attachment.Place) {
	t.Helper()
	name, data := uuid.New(), bytes.Repeat([]byte("0123456789abcdef"), attachment.MaxBytes/16)
	for range 2 { // a repeat replaces
		if err := s.Put(t.Context(), in, name, data); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := read(t, s, in, name); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d of %d bytes came back: %v", len(got), len(data), err)
	}
	for range 2 {
		if err := s.Remove(t.Context(), in, name); err != nil {
			t.Error(err)
		}
	}
	if _, err := read(t, s, in, name); !errors.Is(err, attachment.ErrGone) {
		t.Errorf("after its removal: %v", err)
	}
}

func TestStore_Folder_KeepsFilesForItsOwnerAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		dir := t.TempDir()
		s, _, _ := newStore(t, d, dir)
		if s.Place() != attachment.Folder {
			t.Fatalf("a new site keeps files in %s", s.Place())
		}
		keeps(t, s, attachment.Folder)
		name := uuid.New()
		if err := s.Put(t.Context(), attachment.Folder, name, []byte("a")); err != nil {
			t.Fatal(err)
		}
		for path, mode := range map[string]os.FileMode{
			filepath.Join(dir, "attachments"):                                   0o700,
			filepath.Join(dir, "attachments", name.String()[:2], name.String()): 0o600,
		} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
				t.Errorf("%s: %v %v", path, info, err)
			}
		}
	})
}

func TestStore_Bucket_SignsEachRequest(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		backend := s3mem.New()
		if err := backend.CreateBucket("airport-files"); err != nil {
			t.Fatal(err)
		}
		bucket := &signedOnly{T: t, next: gofakes3.New(backend).Server()}
		server := httptest.NewServer(bucket)
		defer server.Close()
		s, settings, secrets := newStore(t, d, t.TempDir())
		set := func(values string) error {
			changes := map[string]json.RawMessage{}
			if err := json.Unmarshal([]byte(values), &changes); err != nil {
				t.Fatal(err)
			}
			return settings.Set(t.Context(), changes)
		}
		for _, wrong := range []string{
			`{"attachment_s3_bucket":"airport-files"}`, `{"attachment_s3_bucket":"Not a bucket"}`,
			`{"attachment_s3_url":"https://s3.example/path"}`, `{"attachment_s3_url":"s3.example"}`,
		} {
			if set(wrong) == nil {
				t.Errorf("%s was taken", wrong)
			}
		}
		before := uuid.New()
		if err := s.Put(t.Context(), s.Place(), before, []byte("kept in the folder")); err != nil {
			t.Fatal(err)
		}
		if err := set(fmt.Sprintf(`{"attachment_s3_bucket":"airport-files","attachment_s3_url":%q,
			"attachment_s3_region":"eu-west-9","attachment_s3_access_key":%q}`, server.URL, accessKey)); err != nil {
			t.Fatal(err)
		}
		if s.Place() != attachment.Bucket {
			t.Fatalf("with a bucket files are kept in %s", s.Place())
		}
		if err := s.Put(t.Context(), attachment.Bucket, uuid.New(), []byte("a")); err == nil || bucket.refusals() == 0 {
			t.Error("the bucket took a file without the key")
		}
		if err := secrets.Set(t.Context(), secret.AttachmentS3Key, secretKey); err != nil {
			t.Fatal(err)
		}
		keeps(t, s, attachment.Bucket)
		left, err := backend.ListBucket("airport-files", nil, gofakes3.ListBucketPage{})
		if err != nil {
			t.Fatal(err)
		}
		if n := bucket.refusals(); n > 0 || len(left.Contents) > 0 {
			t.Errorf("%d requests were refused, %d objects are left", n, len(left.Contents))
		}
		if err := set(`{"attachment_s3_bucket":"another-bucket"}`); err != nil {
			t.Fatal(err)
		}
		if err := s.Put(t.Context(), attachment.Bucket, uuid.New(), []byte("a")); err == nil {
			t.Error("a bucket that is not there took a file")
		}
		if got, err := read(t, s, attachment.Folder, before); err != nil || !slices.Equal(got, []byte("kept in the folder")) {
			t.Errorf("a file of before is %q, %v", got, err)
		}
	})
}
