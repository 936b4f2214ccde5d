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

	"github.com/maypok86/otter/v2"

	"airstrip/internal/detached"
	"airstrip/internal/fault"
)

// Lists keeps what many agents ask for again and again, as the bytes that are sent. A key is what a list follows from;
// nodes that have it in common share one.
type Lists[K comparable] struct{ cache *otter.Cache[K, *list] }

// NewLists gives an empty Lists.
func NewLists[K comparable]() *Lists[K] {
	return &Lists[K]{otter.Must(&otter.Options[K, *list]{MaximumSize: 64})}
}

// How long making a list may take: agents wait for about five seconds.
const (
	makeFor     = 30 * time.Second
	makeAnewFor = 3 * time.Second // where there is another one to answer
)

// list is the answer for one revision.
type list struct {
	revision int64
	tag      string
	plain    []byte
	gzipped  []byte
}

// Serve answers the list of key as it is at revision, made anew where that is not known, or 304 to an agent that has it.
// While the database is away the last list is answered, since some agents die of an error. Where there is none nothing is
// answered.
func (l *Lists[K]) Serve(w http.ResponseWriter, r *http.Request, key K, revision int64, fresh func(context.Context) ([]byte, error)) error {
	known, ok := l.cache.GetIfPresent(key)
	if !ok || known.revision != revision {
		patience := makeFor
		if ok {
			patience = makeAnewFor
		}
		// An agent that gave up asks again; then its list is there.
		ctx, cancel := detached.WithTimeout(r.Context(), patience)
		defer cancel()
		plain, err := fresh(ctx)
		switch {
		case err == nil:
			known = made(plain, revision, known)
			l.cache.Set(key, known)
		case fault.Refused(err) || !ok:
			return err
		default:
			slog.WarnContext(ctx, "a list could not be made anew; the agent gets the last one", "error", err)
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

// made gives the list of plain; one with the same bytes as before is not packed again.
func made(plain []byte, revision int64, before *list) *list {
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

// hasTag sets the headers of an answer with a tag, and answers 304 to a caller that names it. Proxies that compress mark
// the tag as weak, so it is looked for in what the caller names.
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
