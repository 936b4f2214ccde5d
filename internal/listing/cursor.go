package listing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"
)

// place is a row's place in a sorted list. Without a value it is among those that come last.
type place struct {
	Number *int64     `json:"n,omitempty"`
	Time   *time.Time `json:"t,omitempty"`
	Text   *string    `json:"s,omitempty"`
	ID     int64      `json:"i"`
}

// value is what the row is sorted by; nil: nothing.
func (p *place) value() any {
	switch {
	case p.Number != nil:
		return *p.Number
	case p.Time != nil:
		return *p.Time
	case p.Text != nil:
		return *p.Text
	}
	return nil
}

// macSize is how much of the MAC a cursor carries: 128 bits.
const macSize = 16

func (l *Lists) mac(q *Query, payload []byte) []byte {
	mac := hmac.New(sha256.New, l.key)
	mac.Write(q.digest)
	mac.Write(payload)
	return mac.Sum(nil)[:macSize]
}

// seal returns the cursor of the page after p.
func (l *Lists) seal(q *Query, p *place) string {
	payload, err := json.Marshal(p)
	if err != nil {
		panic(err) // numbers, times and text
	}
	return base64.RawURLEncoding.EncodeToString(append(l.mac(q, payload), payload...))
}

func (l *Lists) open(q *Query, cursor string) (*place, error) {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(b) < macSize || !hmac.Equal(b[:macSize], l.mac(q, b[macSize:])) {
		return nil, ErrCursor
	}
	var p place
	if err := json.Unmarshal(b[macSize:], &p); err != nil {
		return nil, ErrCursor
	}
	return &p, nil
}
