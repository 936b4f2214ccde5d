// Package install gives a node's machine its agent: the binaries that lie beside the server's own, the unit, the script
// that installs them and the line for root's shell that runs it. None of it is secret but the line.
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

const maxDownload = 15 * time.Minute // of a download; the script waits for less

// Register serves on mux what the script fetches, and the script. Every path is one of these: none reaches the files.
func (a *Agents) Register(mux *http.ServeMux) {
	mux.HandleFunc("GET /node/install.sh", text(deploy.InstallNode)) // GET answers HEAD too
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
	// Who reads too slowly shall not keep the connection; what cannot set deadlines has no slow readers.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(maxDownload))
	w.Header().Set(gzhttp.HeaderNoCompression, "1") // tens of megabytes, for each download anew
	w.Header().Set("Content-Disposition", `attachment; filename="`+binaryPrefix+arch+`"`)
	describe(w, "application/octet-stream", sum)
	http.ServeContent(w, r, "", time.Time{}, file)
	return nil
}

func describe(w http.ResponseWriter, kind, sum string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache") // an update has the same address
	w.Header().Set("ETag", `"`+sum+`"`)
}
