package install_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"airstrip/deploy"
	"airstrip/internal/api"
	"airstrip/internal/api/install"
)

const site = "https://panel.example"

// newHandler serves what is in dir as the server does.
func newHandler(dir string) http.Handler {
	mux := http.NewServeMux()
	install.New(dir, site).Register(mux)
	return api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler()
}

func ask(h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/", nil)
	r.URL.Path = path // Not cleaned.
	r.Header.Set("Accept-Encoding", "gzip")
	r.Header.Set("Accept-Language", "en")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

func hex(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

func TestBinary_IsServedUnchanged(t *testing.T) {
	dir, text := t.TempDir(), strings.Repeat("binary ", 4000)
	put(t, filepath.Join(dir, "airstrip-node-linux-arm64"), text)
	h := newHandler(dir)
	const path = "/node/airstrip-node-linux-arm64"
	w := ask(h, http.MethodGet, path)
	if w.Code != 200 || w.Body.String() != text || w.Header().Get("Content-Length") != fmt.Sprint(len(text)) ||
		w.Header().Get("Content-Encoding") != "" ||
		w.Header().Get("ETag") != `"`+hex(text)+`"` || w.Header().Get("Content-Type") != "application/octet-stream" ||
		w.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d, %d bytes, %v", w.Code, w.Body.Len(), w.Header())
	}
	if w := ask(h, http.MethodHead, path); w.Code != 200 || w.Body.Len() != 0 ||
		w.Header().Get("Content-Length") != fmt.Sprint(len(text)) {
		t.Errorf("HEAD: %d, %d bytes, %v", w.Code, w.Body.Len(), w.Header())
	}
	if w := ask(h, http.MethodGet, path, "Range", "bytes=7-12"); w.Code != 206 || w.Body.String() != "binary" {
		t.Errorf("a part: %d %q", w.Code, w.Body)
	}
	if w := ask(h, http.MethodGet, path, "If-None-Match", `"`+hex(text)+`"`); w.Code != 304 {
		t.Errorf("what the client has: %d", w.Code)
	}

	put(t, filepath.Join(dir, "airstrip-node-linux-arm64"), strings.ToUpper(text)) // The same length as before.
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(filepath.Join(dir, "airstrip-node-linux-arm64"), later, later); err != nil {
		t.Fatal(err)
	}
	if w := ask(h, http.MethodGet, path, "If-None-Match", `"`+hex(text)+`"`); w.Code != 200 ||
		w.Header().Get("ETag") != `"`+hex(strings.ToUpper(text))+`"` {
		t.Errorf("another binary: %d %v", w.Code, w.Header())
	}
}

func TestScript_IsThatOfDeploy(t *testing.T) {
	h := newHandler(t.TempDir())
	for path, want := range map[string][]byte{
		"/node/install.sh":            deploy.InstallNode,
		"/node/airstrip-node.service": deploy.NodeUnit,
	} {
		if w := ask(h, http.MethodGet, path, "Accept-Encoding", "identity"); w.Code != 200 ||
			!bytes.Equal(w.Body.Bytes(), want) || w.Header().Get("ETag") == "" {
			t.Errorf("%s: %d, %d bytes, %v", path, w.Code, w.Body.Len(), w.Header())
		}
		if w := ask(h, http.MethodHead, path); w.Code != 200 || w.Body.Len() != 0 {
			t.Errorf("HEAD %s: %d", path, w.Code)
		}
	}
}

func TestBinary_OwnArchitecture_NeedsNoSuffix(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "airstrip-node"), "plain")
	h := newHandler(dir)
	for _, arch := range []string{"amd64", "arm64"} {
		w, want := ask(h, http.MethodGet, "/node/airstrip-node-linux-"+arch), 404
		if arch == runtime.GOARCH && runtime.GOOS == "linux" {
			want = 200
		}
		if w.Code != want || want == 404 && !strings.Contains(w.Body.String(), "agent_not_found") {
			t.Errorf("%s: %d %s", arch, w.Code, w.Body)
		}
	}
	put(t, filepath.Join(dir, "airstrip-node-linux-"+runtime.GOARCH), "named")
	if w := ask(h, http.MethodGet, "/node/airstrip-node-linux-"+runtime.GOARCH); w.Body.String() != "named" {
		t.Errorf("with one that has a suffix: %d %s", w.Code, w.Body)
	}
}

func TestBinary_OtherPaths_AreRefused(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "airstrip-node-linux-amd64"), "binary")
	put(t, filepath.Join(dir, "airstrip-node-linux-riscv64"), "private")
	put(t, filepath.Join(dir, "secret.key"), "private")
	h := newHandler(dir)
	for _, path := range []string{
		"/node", "/node/", "/node/secret.key", "/node/airstrip-node-linux-riscv64", "/node/airstrip-node",
		"/node/install.sh/../secret.key",
		"/node/airstrip-node-linux-amd64/../secret.key", "/node/airstrip-node-linux-../secret.key",
		"/node/%2e%2e/secret.key", "/node//secret.key",
	} {
		if w := ask(h, http.MethodGet, path); w.Code == 200 || strings.Contains(w.Body.String(), "private") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

func TestBinary_DownloadsPerAddress_AreBounded(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "airstrip-node-linux-amd64"), "binary")
	h, codes := newHandler(dir), map[int]int{}
	for range 100 {
		codes[ask(h, http.MethodGet, "/node/airstrip-node-linux-amd64").Code]++
	}
	if codes[200] < 10 || codes[200] > 50 || codes[200]+codes[429] != 100 {
		t.Error(codes)
	}
	if w := ask(h, http.MethodGet, "/node/install.sh"); w.Code != 200 {
		t.Errorf("the script: %d", w.Code)
	}
}

func TestLine_NamesAvailableBinaries(t *testing.T) {
	dir := t.TempDir()
	agents := install.New(dir, "https://panel.example/it's")
	if line := agents.Line(7, "abc"); strings.Contains(line, "curl") ||
		!strings.Contains(line, "printf %s 'abc' >/etc/airstrip-node.secret") {
		t.Errorf("without a binary: %s", line)
	}
	put(t, filepath.Join(dir, "airstrip-node-linux-amd64"), "one")
	put(t, filepath.Join(dir, "airstrip-node-linux-arm64"), "two")
	want := `curl -fsS 'https://panel.example/it'\''s/node/install.sh' | AIRSTRIP_NODE_SECRET='abc' sh -s -- 'https://panel.example/it'\''s' 7 amd64=` + hex("one") + " arm64=" + hex("two")
	if line := agents.Line(7, "abc"); line != want {
		t.Errorf("%s\nnot\n%s", line, want)
	}
}
