package v2

import (
	"bytes"
	"context"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"airstrip/internal/account"
	"airstrip/internal/api"
)

type csvFile struct {
	Type        string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	Body        []byte
}

// HandleCSV registers an operation whose answer is a file of rows.
func HandleCSV[I any](r *Router, o Op, fn func(ctx context.Context, who account.Identity, in *I) ([][]string, error)) {
	mustExportEmbedded(o.id, reflect.TypeFor[I]())
	o.stepUp = o.stepUp || o.access == staff
	h := r.operation(o)
	text := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	h.Responses = map[string]*huma.Response{
		strconv.Itoa(http.StatusOK): {Description: "OK", Content: map[string]*huma.MediaType{"text/csv": text}},
	}
	huma.Register(r.huma, h, func(ctx context.Context, in *I) (*csvFile, error) {
		rows, err := call(ctx, r, o, fn, in)
		if err != nil {
			return nil, err
		}
		var file bytes.Buffer
		if err := api.WriteCSV(&file, rows); err != nil {
			return nil, err
		}
		return &csvFile{"text/csv; charset=utf-8", `attachment; filename="` + o.id + `.csv"`, file.Bytes()}, nil
	})
}
