package db

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"airstrip/internal/dberr"
)

// A dial that gets no answer gives a timeout that counts as a context.DeadlineExceeded although no context ended.
func TestATimeoutOfTheConnection_IsUnreachable_AndNotBusy(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, timeout := (&net.Dialer{Deadline: time.Now().Add(-time.Second)}).DialContext(t.Context(), "tcp", l.Addr().String())
	if !errors.Is(timeout, context.DeadlineExceeded) {
		t.Fatalf("the dial gives %v", timeout)
	}
	err = fmt.Errorf("begin: %w", &dberr.LostConnection{Err: timeout})
	if got := probeFault(err); !errors.Is(got, dberr.ErrUnreachable) {
		t.Errorf("a probe gives %v", got)
	}
	d := &DB{}
	if got := d.failed(t.Context(), err); !errors.Is(got, dberr.ErrUnreachable) {
		t.Errorf("a transaction gives %v", got)
	}
	if got := probeFault(fmt.Errorf("insert: %w", context.DeadlineExceeded)); !errors.Is(got, dberr.ErrBusy) {
		t.Errorf("a probe that waits for others gives %v", got)
	}
}
