// Package install serves what a node's machine needs to install its agent: the binaries next to the server's own, the
// systemd unit, the script that installs them, and the command that runs it. Only the command contains a secret.
// Downloads are bounded by address and in time.
package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"airstrip/deploy"
	"airstrip/internal/api"
	"airstrip/internal/limit"
)

const maxDownload = 15 * time.Minute // Of one download; the script waits for less.

// Register serves the script and what it downloads on mux. The paths are fixed, so that no request reaches other files.
func (a *Agents) Register(mux *http.ServeMux) {
	mux.HandleFunc("GET /node/install.sh", text(deploy.InstallNode)) // GET patterns answer HEAD as well.
	mux.HandleFunc("GET /node/airstrip-node.service", text(deploy.NodeUnit))
	for _, arch := range architectures {
		mux.HandleFunc("GET /node/"+binaryPrefix+arch, func(w http.ResponseWriter, r *http.Request) {
			if err := a.serve(w, r, arch); err != nil {
				api.NewFailure(r.Context(), err).Write(w)
			}
		})
	}
}

func text(body []byte) http.HandlerFunc {
	sum := sha256.Sum256(body)
	return func(w http.ResponseWriter, r *http.Request) {
		describe(w, "text/plain; charset=utf-8", hex.EncodeToString(sum[:]))
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	}
}

func (a *Agents) serve(w http.ResponseWriter, r *http.Request, arch string) error {
	if err := a.perAddress.Allow(limit.Network(api.CallerOf(r.Context()).IP)); err != nil {
		return err
	}
	file, sum, err := a.open(arch)
	if err != nil {
		return err
	}
	defer file.Close()
	// A slow reader must not hold the connection. A writer without deadlines has no slow readers.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(maxDownload))
	w.Header().Set(gzhttp.HeaderNoCompression, "1") // Tens of megabytes would be compressed for each download.
	w.Header().Set("Content-Disposition", `attachment; filename="`+binaryPrefix+arch+`"`)
	describe(w, "application/octet-stream", sum)
	http.ServeContent(w, r, "", time.Time{}, file)
	return nil
}

func describe(w http.ResponseWriter, kind, sum string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache") // An update has the same address.
	w.Header().Set("ETag", `"`+sum+`"`)
}
