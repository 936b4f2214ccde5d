package v2

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"airstrip/internal/account"
)

const (
	// eventBeat is the interval of comments on a stream without events, by which both sides notice that the other is
	// gone. Proxies close what is silent for a minute.
	eventBeat = 15 * time.Second

	// streamLife bounds a stream, so that a page opens the next one on any of the servers.
	streamLife = 5 * time.Minute
)

type eventsInput struct {
	Stream bool `query:"stream" doc:"Stay open and send an event after each change; else one event is sent"`
}

// HandleEvents registers an operation of signed-in users whose answer is a stream of server-sent events: one at once,
// and with the parameter stream another one after each change that listen tells of, until the page goes, the caller's
// sign-in ends or a few minutes have passed. Each holds what now gives.
func HandleEvents[T any](
	r *Router, o Op, listen func(ctx context.Context, who account.Identity) (<-chan struct{}, func(), error),
	now func(ctx context.Context, who account.Identity) (T, error),
) {
	if r.open == nil {
		panic("v2: " + o.id + " is registered before UseStreams")
	}
	h := r.operation(o)
	text := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	h.Responses = map[string]*huma.Response{
		strconv.Itoa(http.StatusOK): {
			Description: "OK", Content: map[string]*huma.MediaType{"text/event-stream": text},
		},
	}
	huma.Register(r.huma, h, func(ctx context.Context, in *eventsInput) (*huma.StreamResponse, error) {
		follow := &eventSource[T]{stop: func() {}}
		var err error
		follow.first, err = call(ctx, r, o, func(ctx context.Context, who account.Identity,
			in *eventsInput,
		) (T, error) {
			follow.who = who
			if in.Stream {
				changes, stop, err := listen(ctx, who)
				if err != nil {
					return follow.first, err
				}
				follow.changes, follow.stop = changes, stop
			}
			return now(ctx, who)
		}, in)
		if err != nil {
			follow.stop()
			return nil, err
		}
		follow.now, follow.open = now, r.open
		return &huma.StreamResponse{Body: follow.send}, nil
	})
}

// eventSource is one stream. Without changes it ends after its first event.
type eventSource[T any] struct {
	who     account.Identity
	first   T
	changes <-chan struct{}
	stop    func()
	now     func(ctx context.Context, who account.Identity) (T, error)
	open    OpenStream
}

func (s *eventSource[T]) send(hc huma.Context) {
	defer s.stop()
	req, w := humago.Unwrap(hc)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // otherwise nginx keeps the events back
	control := http.NewResponseController(w)
	write := func(text string) bool {
		_, err := w.Write([]byte(text))
		return err == nil && control.Flush() == nil
	}
	if !write(event(s.first)) || s.changes == nil {
		return
	}
	alive, stop := s.open(req.Context(), s.who)
	defer stop()
	beat := time.NewTicker(eventBeat)
	defer beat.Stop()
	end := time.NewTimer(streamLife - rand.N(streamLife/5)) // not all pages at once
	defer end.Stop()
	for {
		select {
		case <-alive.Done():
			return
		case <-end.C:
			return
		case <-beat.C:
			if !write(": \n\n") {
				return
			}
		case <-s.changes:
			value, err := s.now(alive, s.who)
			if err != nil || !write(event(value)) {
				return // the page opens another one
			}
		}
	}
}

func event(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err) // the types of operations are all fit for JSON
	}
	return "event: change\ndata: " + string(data) + "\n\n"
}
