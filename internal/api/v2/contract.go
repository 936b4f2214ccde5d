package v2

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"airstrip/internal/api"
)

// serveContract answers the contract itself, for the page that shows it and for generators of clients. It is written
// when it is first asked for, and an unchanged one is not sent again.
func serveContract(contract *huma.OpenAPI) http.Handler {
	write := sync.OnceValues(contract.MarshalJSON)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := write()
		if err != nil {
			api.NewFailure(r.Context(), err).Write(w)
			return
		}
		sum := sha256.Sum256(body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("ETag", `"`+base64.RawURLEncoding.EncodeToString(sum[:12])+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	})
}

// EnumSchema describes a text that is one of the values.
func EnumSchema[T ~string](values []T) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}
