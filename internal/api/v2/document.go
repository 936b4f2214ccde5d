package v2

import (
	"context"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"airstrip/internal/account"
	"airstrip/internal/api"
)

type document struct {
	Type   string `header:"Content-Type"`
	Policy string `header:"Content-Security-Policy"`
	Body   []byte
}

// HandleDocument registers an operation whose answer is a text of its own, of the media type.
func HandleDocument[I any](
	r *Router, o Op, media string, fn func(ctx context.Context, who account.Identity, in *I) (string, error),
) {
	mustExportEmbedded(o.id, reflect.TypeFor[I]())
	h := r.operation(o)
	text := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	h.Responses = map[string]*huma.Response{
		strconv.Itoa(http.StatusOK): {Description: "OK", Content: map[string]*huma.MediaType{media: text}},
	}
	huma.Register(r.huma, h, func(ctx context.Context, in *I) (*document, error) {
		body, err := call(ctx, r, o, fn, in)
		if err != nil {
			return nil, err
		}
		return &document{media + "; charset=utf-8", api.DocumentPolicy, []byte(body)}, nil
	})
}
