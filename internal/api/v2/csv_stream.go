package v2

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"airstrip/internal/account"
	"airstrip/internal/api"
)

// Rows writes the rows of a file one after the other: it calls row with each and ends with what row answers.
type Rows func(row func(cells ...string) error) error

// HandleCSVStream registers an operation whose answer is a file of rows that is sent while it is read: a file of any
// length takes the memory of a few rows. fn checks the input and gives the rows; what it refuses is a fault. A file
// that fails on the way is cut off, so that nobody takes it for whole.
func HandleCSVStream[I any](
	r *Router, o Op, fn func(ctx context.Context, who account.Identity, in *I) (Rows, error),
) {
	handleStream(r, o, fileFormat{"csv", "text/csv", "; charset=utf-8", ""}, fn, func(w io.Writer, rows Rows) error {
		out := api.NewCSVWriter(w)
		if err := rows(out.Row); err != nil {
			return err
		}
		return out.Close()
	})
}

// fileFormat is how a file of rows is named and described.
type fileFormat struct{ extension, mediaType, parameters, schemaFormat string }

// handleStream registers an operation whose answer is a file that send writes while it reads the rows of fn.
func handleStream[I, R any](
	r *Router, o Op, format fileFormat, fn func(ctx context.Context, who account.Identity, in *I) (R, error),
	send func(w io.Writer, rows R) error,
) {
	mustExportEmbedded(o.id, reflect.TypeFor[I]())
	o.stepUp = o.stepUp || o.access == staff
	h := r.operation(o)
	body := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: format.schemaFormat}}
	h.Responses = map[string]*huma.Response{
		strconv.Itoa(http.StatusOK): {Description: "OK", Content: map[string]*huma.MediaType{format.mediaType: body}},
	}
	huma.Register(r.huma, h, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		rows, err := call(ctx, r, o, fn, in)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			req, w := humago.Unwrap(hc)
			w.Header().Set("Content-Type", format.mediaType+format.parameters)
			w.Header().Set("Content-Disposition", `attachment; filename="`+o.id+"."+format.extension+`"`)
			file := &started{ResponseWriter: w}
			err := send(file, rows)
			switch {
			case err == nil:
			case !file.is:
				w.Header().Del("Content-Disposition")
				api.NewFailure(req.Context(), err).Write(w)
			default:
				slog.WarnContext(req.Context(), "a file was cut off", "operation", o.id, "error", err)
				panic(http.ErrAbortHandler)
			}
		}}, nil
	})
}

// started knows whether anything of the answer was written.
type started struct {
	http.ResponseWriter
	is bool
}

func (s *started) Write(p []byte) (int, error) {
	s.is = true
	return s.ResponseWriter.Write(p)
}
