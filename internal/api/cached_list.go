package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"airstrip/internal/cache"
	"airstrip/internal/detached"
	"airstrip/internal/fault"
)

// Lists caches the lists that many agents poll, as the bytes that are sent. A list depends on its key alone; nodes with
// the same key share it.
type Lists[K comparable] struct{ cache *cache.Cache[K, *list] }

// NewLists returns an empty cache.
func NewLists[K comparable]() *Lists[K] {
	return &Lists[K]{cache.New[K](cache.Options[*list]{MaxEntries: 64})}
}

// How long building a list may take. Agents wait for about five seconds, so a rebuild ends early and the cached list is
// served.
const (
	buildTimeout   = 30 * time.Second
	rebuildTimeout = 3 * time.Second
)

// list is the answer for one revision.
type list struct {
	revision int64
	tag      string
	plain    []byte
	gzipped  []byte
}

// Serve answers the list of key at revision, or 304 to an agent that has it. build is called where the cache has no
// list of that revision. While the database is unavailable Serve answers the cached list of an earlier revision, since
// some agents exit on an error; without one it writes nothing and returns the error.
func (l *Lists[K]) Serve(
	w http.ResponseWriter, r *http.Request, key K, revision int64, build func(context.Context) ([]byte, error),
) error {
	known, ok := l.cache.Get(key)
	if !ok || known.revision != revision {
		timeout := buildTimeout
		if ok {
			timeout = rebuildTimeout
		}
		// The build goes on when the agent gives up, so that its next request finds the list.
		ctx, cancel := detached.WithTimeout(r.Context(), timeout)
		defer cancel()
		plain, err := build(ctx)
		switch {
		case err == nil:
			known = newList(plain, revision, known)
			l.cache.Set(key, known)
		case fault.Refused(err) || !ok:
			return err
		default:
			slog.WarnContext(ctx, "a list could not be renewed; the agent gets the last one", "error", err)
		}
	}
	w.Header().Set("Vary", "Accept-Encoding")
	if hasTag(w, r, known.tag) {
		return nil
	}
	body := known.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		body = known.gzipped
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
	return nil
}

// newList returns the list with the text plain. Where before has the same text, its compressed copy is used again.
func newList(plain []byte, revision int64, before *list) *list {
	tag := tagOf(plain)
	if before != nil && before.tag == tag {
		return &list{revision, tag, before.plain, before.gzipped}
	}
	var zipped bytes.Buffer
	zip := gzip.NewWriter(&zipped)
	zip.Write(plain)
	zip.Close()
	return &list{revision, tag, plain, zipped.Bytes()}
}

// WriteTagged answers JSON with an ETag, or 304 to a caller that has it.
func WriteTagged(w http.ResponseWriter, r *http.Request, body []byte) {
	if !hasTag(w, r, tagOf(body)) {
		w.Write(body)
	}
}

func tagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:16])
}

// hasTag sets the headers of an answer with a tag, and answers 304 to a caller that names it. Proxies that compress
// mark the tag as weak, so it is looked for in what the caller names.
func hasTag(w http.ResponseWriter, r *http.Request, tag string) bool {
	h := w.Header()
	h.Set("ETag", `"`+tag+`"`)
	h.Set("Cache-Control", "private, no-cache")
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return true
	}
	h.Set("Content-Type", "application/json; charset=utf-8")
	return false
}
