package web

import (
	"bytes"
	"net/http"
	"strconv"
	"time"

	"airstrip/internal/api"
)

// PicturesPath is the folder of the site's own pictures.
const PicturesPath = "/site-pictures/"

// PictureAddress is the address of a picture. The digest is part of it, so that another picture has another address.
func PictureAddress(name, digest string) string { return PicturesPath + name + "?v=" + digest }

// Picture answers with a picture. Browsers may store it for good under an address that has its digest.
func Picture(w http.ResponseWriter, r *http.Request, mediaType, digest string, data []byte) {
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Security-Policy", api.DocumentPolicy)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // mail programs on the web show it too
	h.Set("ETag", strconv.Quote(digest))
	h.Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("v") == digest {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}
