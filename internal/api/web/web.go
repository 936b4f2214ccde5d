// Package web serves the React app: index.html for the address of every page, its assets with an unlimited cache
// lifetime, and nothing for paths that programs use. An address that is not a page is answered with 404: browsers get
// the app, which shows its not-found page, programs get the fault as JSON. Assets of earlier builds stay available for
// pages that are still open.
package web

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"html"
	"io/fs"
	"log/slog"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"airstrip/internal/api"
)

// AssetRetention is how long the assets of earlier builds stay available for pages that were open during an update.
const AssetRetention = 7 * 24 * time.Hour

// App serves one build of the app and, from a folder, the assets of earlier ones.
type App struct {
	dist    fs.FS
	dir     string // With the assets of earlier builds.
	index   []byte // With the placeholders of the nonce and the preloads.
	needs   []preload
	pages   pages
	vendors func() []string // The captcha and chat vendors that are configured now.
	site    func() ([]byte, error)

	leads   func() bool // Whether all pages lead to one; see LeadTo.
	leadsTo string
}

// LeadTo has all pages lead to the one at path while leads returns true.
func (a *App) LeadTo(path string, leads func() bool) { a.leadsTo, a.leads = path, leads }

// New serves dist and, from dir, the assets of earlier builds that StoreAssets copied there. Pages may load what
// vendors names, a captcha's provider or crisp, from its own addresses. They contain what site returns, the result of
// GET /api/v2/site.
func New(dist fs.FS, dir string, vendors func() []string, site func() ([]byte, error)) (*App, error) {
	a := &App{dist: dist, dir: dir, vendors: vendors, site: site}
	index, err := fs.ReadFile(dist, "index.html")
	if errors.Is(err, fs.ErrNotExist) {
		index = []byte("<!doctype html><title>Airstrip</title><p>This build has no web pages; run <code>make " +
			"build</code>.")
	} else if err != nil {
		return nil, err
	}
	a.index = index
	if a.needs, err = readPreloads(dist); err != nil {
		return nil, err
	}
	if a.pages, err = readPages(dist); err != nil {
		return nil, err
	}
	return a, nil
}

// StoreAssets copies the assets of this build to the folder from which later builds serve them, and deletes those that
// no build has used for AssetRetention.
func (a *App) StoreAssets() error {
	root := filepath.Join(a.dir, "assets")
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	now := time.Now()
	entries, err := fs.ReadDir(a.dist, "assets")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(root, e.Name())
		if os.Chtimes(name, now, now) == nil || e.IsDir() {
			continue
		}
		body, err := fs.ReadFile(a.dist, "assets/"+e.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, body, 0o600); err != nil {
			return err
		}
	}
	old, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	for _, e := range old {
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > AssetRetention {
			os.Remove(filepath.Join(root, e.Name()))
		}
	}
	return nil
}

// ServeHTTP answers requests that match no other route.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	switch {
	case api.IsAPI(r.URL.Path):
		api.NewFailure(r.Context(), api.ErrNoRoute).Write(w)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		api.NewFailure(r.Context(), api.ErrMethod).Write(w)
	case strings.HasPrefix(name, "assets/"):
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		if !a.file(w, r, a.dist, name) && !a.file(w, r, os.DirFS(a.dir), name) {
			w.Header().Set("Cache-Control", "no-store")
			http.NotFound(w, r) // The page reloads itself on a 404.
		}
	case name == "builds/latest.json":
		w.Header().Set("Cache-Control", "no-store")
		if !a.file(w, r, a.dist, name) {
			http.NotFound(w, r)
		}
	case name == "service-worker.js":
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("Content-Security-Policy", "default-src 'self'")
		if !a.file(w, r, a.dist, name) {
			http.NotFound(w, r)
		}
	case isPublic(name) && a.file(w, r, a.dist, name):
	case a.leads != nil && a.leads() && name != strings.TrimPrefix(a.leadsTo, "/") && isBrowser(r):
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, a.leadsTo, http.StatusFound)
	case a.pages.has(r.URL.Path):
		a.page(w, r.URL.Path, http.StatusOK)
	default:
		w.Header().Set("Vary", "Accept")
		if !isBrowser(r) {
			api.NewFailure(r.Context(), api.ErrNoRoute).Write(w)
			return
		}
		a.page(w, r.URL.Path, http.StatusNotFound)
	}
}

// isPublic reports whether callers may fetch a file of the build. index.html is served by page only, and names that
// begin with a dot are for the server.
func isPublic(name string) bool {
	return name != "index.html" && !strings.HasPrefix(name, ".") && path.Ext(name) != ""
}

// file serves name if fsys has it, in the compressed form that the client accepts if the build made one.
func (a *App) file(w http.ResponseWriter, r *http.Request, fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	if err != nil || info.IsDir() {
		return false
	}
	served := name
	for _, enc := range []struct{ name, ext string }{{"br", ".br"}, {"gzip", ".gz"}} {
		if _, err := fs.Stat(fsys, name+enc.ext); err == nil {
			w.Header().Set("Vary", "Accept-Encoding")
			if served == name && takes(r.Header.Get("Accept-Encoding"), enc.name) {
				served = name + enc.ext
				w.Header().Set("Content-Encoding", enc.name)
			}
		}
	}
	body, err := fs.ReadFile(fsys, served)
	if err != nil {
		return false
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	sum := sha256.Sum256(body)
	w.Header().Set("ETag", `"`+base64.RawURLEncoding.EncodeToString(sum[:12])+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
	return true
}

func takes(header, encoding string) bool {
	for _, part := range strings.Split(header, ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(part), ";")
		if name == encoding && strings.TrimSpace(q) != "q=0" {
			return true
		}
	}
	return false
}

// page serves index.html with links to what the path needs, and with a nonce in the page and in the policy.
func (a *App) page(w http.ResponseWriter, path string, status int) {
	var random [16]byte
	rand.Read(random[:])
	nonce := base64.StdEncoding.EncodeToString(random[:])
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Content-Security-Policy", policy(nonce, a.vendors()))
	page := bytes.ReplaceAll(a.index, []byte("__CSP_NONCE__"), []byte(nonce))
	w.WriteHeader(status)
	w.Write(bytes.Replace(page, []byte(preloadsMark), []byte(a.siteMeta()+preloadLinks(a.needs, path)), 1))
}

// siteMeta embeds the site's settings in the page. Without them the page requests them.
func (a *App) siteMeta() string {
	site, err := a.site()
	if err != nil {
		slog.Error("what the site says of itself is missing in a page", "err", err)
		return ""
	}
	return `<meta name="site" content="` + html.EscapeString(string(site)) + `">`
}
