package v2_test

import (
	"testing"
	"time"

	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
)

type EmbeddedReason struct {
	Reason string `json:"reason" minLength:"1"`
}

type checkedInput struct {
	ID   int64  `path:"id"`
	Why  string `query:"why" minLength:"1"`
	Body struct {
		EmbeddedReason
		Context  *string          `json:"ban_context,omitempty" minLength:"1"`
		Password string           `json:"password" minLength:"1"`
		Remark   string           `json:"remark"`
		EndsAt   *time.Time       `json:"ends_at,omitempty"`
		StartsAt time.Time        `json:"starts_at,omitempty"`
		Rows     []EmbeddedReason `json:"rows,omitempty"`
	}
}

func TestCheckBody_NamesWhatIsWrong(t *testing.T) {
	for _, blank := range []string{" ", "\t\n ", "\u3000", "\u200b"} {
		for want, set := range map[string]func(in *checkedInput){
			"reason:required":        func(in *checkedInput) { in.Body.Reason = blank },
			"why:required":           func(in *checkedInput) { in.Why = blank },
			"ban_context:required":   func(in *checkedInput) { in.Body.Context = &blank },
			"rows.0.reason:required": func(in *checkedInput) { in.Body.Rows = []EmbeddedReason{{blank}} },
			"ends_at:range":          func(in *checkedInput) { in.Body.EndsAt = new(time.Time) },
			"starts_at:range":        func(in *checkedInput) { in.Body.StartsAt = time.Unix(-1e11, 0) },
			"":                       func(in *checkedInput) { in.Body.Remark, in.Body.Password = blank, blank },
		} {
			var in checkedInput
			in.Body.Reason = "because"
			set(&in)
			got := ""
			if f, ok := fault.As(v2.CheckBody(&in)); ok && len(f.Fields) == 1 {
				got = f.Fields[0].Name + ":" + f.Fields[0].Code
			}
			if got != want {
				t.Errorf("%q is refused as %q, want %q", blank, got, want)
			}
		}
	}
}
