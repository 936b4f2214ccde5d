package v2

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/attachment"
	"airstrip/internal/ticket"
)

// Attachment is a file of a ticket.
type Attachment struct {
	ID        uuid.UUID `json:"id"`
	CreatedAt time.Time `json:"created_at"`
	Name      string    `json:"name"`
	MediaType string    `json:"media_type" enum:"image/png,image/jpeg,image/gif,image/webp,text/plain" doc:"As the server found from the bytes"`
	Size      int64     `json:"size" doc:"Bytes as they are kept: without the metadata of images"`
	Width     int       `json:"width" doc:"Pixels; 0 where it is no image"`
	Height    int       `json:"height"`
}

// NewAttachment gives a file as callers see it.
func NewAttachment(a *ticket.Attachment) Attachment {
	return Attachment{a.UUID, a.CreatedAt, a.Name, a.MediaType, a.Size, a.Width, a.Height}
}

// NewAttachments gives the files of a message.
func NewAttachments(files []ticket.Attachment) []Attachment {
	out := make([]Attachment, len(files))
	for i := range files {
		out[i] = NewAttachment(&files[i])
	}
	return out
}

// FileID names a file of a ticket.
type FileID struct {
	ID string `path:"attachment_id" format:"uuid" maxLength:"36"`
}

// UUID gives the id, or ticket.ErrNoAttachment.
func (f FileID) UUID() (uuid.UUID, error) {
	id, err := uuid.Parse(f.ID)
	if err != nil {
		err = ticket.ErrNoAttachment
	}
	return id, err
}

// UploadedFile is a file in the body of its request, and nothing else.
type UploadedFile struct {
	FileID
	Name    string `query:"name" maxLength:"1000" doc:"Name of the file; without the ending of its type it gets one"`
	RawBody []byte `contentType:"application/octet-stream"`
}

// HandleUpload registers an operation that takes a file of at most attachment.MaxBytes.
func HandleUpload[T any](r *Router, o Op, fn func(context.Context, account.Identity, *UploadedFile) (T, error)) {
	h := r.operation(o)
	h.MaxBodyBytes = attachment.MaxBytes + 1 // one that is too large is refused before
	h.Middlewares = append(h.Middlewares, readWhole)
	register(r, h, reflect.TypeFor[Envelope[T]](), func(ctx context.Context, in *UploadedFile) (any, error) {
		result, err := call(ctx, r, o, fn, in)
		return NewEnvelope(o.Message(ctx), result), err
	})
}

// readWhole reads the body, so that one which does not arrive is answered as such.
func readWhole(hc huma.Context, next func(huma.Context)) {
	req, w := humago.Unwrap(hc)
	body, err := io.ReadAll(req.Body)
	if err != nil {
		api.NewFailure(req.Context(), api.Unreadable(err)).Write(w)
		return
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	next(hc)
}

// Download is a file that an operation answers.
type Download struct {
	Name, MediaType string
	Size            int64
	Content         io.ReadCloser
}

// HandleDownload registers an operation whose answer is a file that somebody sent. Where a browser opens it as a page,
// it is kept and not shown, runs nothing and loads nothing.
func HandleDownload[I any](r *Router, o Op, fn func(context.Context, account.Identity, *I) (*Download, error)) {
	mustExportEmbedded(o.id, reflect.TypeFor[I]())
	h := r.operation(o)
	binary := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	h.Responses = map[string]*huma.Response{
		strconv.Itoa(http.StatusOK): {
			Description: "OK", Content: map[string]*huma.MediaType{"application/octet-stream": binary},
		},
	}
	huma.Register(r.huma, h, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		file, err := call(ctx, r, o, fn, in)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			defer file.Content.Close()
			media := file.MediaType
			if strings.HasPrefix(media, "text/") {
				media += "; charset=utf-8"
			}
			hc.SetHeader("Content-Type", media)
			hc.SetHeader("Content-Length", strconv.FormatInt(file.Size, 10))
			hc.SetHeader("Content-Disposition", disposition(file.Name))
			hc.SetHeader("Content-Security-Policy", api.DocumentPolicy)
			hc.SetHeader("Cross-Origin-Resource-Policy", "same-origin")
			if _, err := io.Copy(hc.BodyWriter(), file.Content); err != nil {
				slog.WarnContext(ctx, "a file was not answered whole", "error", err)
				panic(http.ErrAbortHandler) // so that the caller does not take a part for the file
			}
		}}, nil
	})
}

// disposition has a browser keep a file under its name, in both spellings that browsers know.
func disposition(name string) string {
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\%`, r) {
			return '_'
		}
		return r
	}, name)
	return fmt.Sprintf(`attachment; filename="%s"; filename*=UTF-8''%s`, ascii,
		strings.ReplaceAll(url.QueryEscape(name), "+", "%20"))
}
