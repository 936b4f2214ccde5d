package link_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"

	"airstrip/internal/db/dbtest"
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Half of the guesses are the token itself with one or two characters changed: the answer must not show how close a
// guess is.
func TestGuesses_AreRefused(t *testing.T) {
	t.Parallel()
	s := open(t, dbtest.SQLite(t))
	dice := rand.New(rand.NewPCG(1, 2))
	guess := func(i int) string {
		token, changed := []byte(s.token), len(s.token)
		if i%2 == 0 {
			changed = 1 + i/2%2
		}
		for string(token) == s.token {
			for range changed {
				token[dice.IntN(len(token))] = base62[dice.IntN(len(base62))]
			}
		}
		return string(token)
	}
	var first string
	for i := range 100_000 {
		r := httptest.NewRequest(http.MethodGet, "/link2/"+guess(i), nil)
		r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", i>>16&255, i>>8&255, i&255)
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		if first == "" {
			first = w.Body.String()
		}
		if w.Code != http.StatusNotFound || w.Body.String() != first {
			t.Fatalf("guess %d: %d %s", i, w.Code, w.Body)
		}
	}
	if w := s.get(""); w.Code != http.StatusOK {
		t.Errorf("the link itself: %d", w.Code)
	}
}
