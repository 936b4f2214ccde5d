package money

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestParseReadsWhatStringWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Amount(rapid.Int64Range(int64(-Max), int64(Max)).Draw(t, "minor"))
		b, err := Parse(a.String())
		if err != nil || b != a {
			t.Fatalf("Parse(%q) = %v, %v", a, b, err)
		}
	})
}

func TestParseRefusesWhatIsNoAmount(t *testing.T) {
	for _, s := range []string{
		"", "-", ".", "1.", ".5", "1.234", "1e3", "+1", "0x10", "１２", "1,000", " 1", "NaN",
		"--1", "1.-2", "92233720368547758.08", "10000000000000.01", "-10000000000000.01",
	} {
		if a, err := Parse(s); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", s, a)
		}
	}
}

func TestJSONTakesStringOrNumberAndWritesString(t *testing.T) {
	for in, want := range map[string]string{
		`"12.3"`: `"12.30"`, `12.3`: `"12.30"`, `0`: `"0.00"`,
		`"-0.05"`: `"-0.05"`,
	} {
		var a Amount
		if err := json.Unmarshal([]byte(in), &a); err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		if out, _ := json.Marshal(a); string(out) != want {
			t.Errorf("%s became %s, want %s", in, out, want)
		}
	}
}

func TestUnmarshalJSON_OfWhatWasStored_ReadsEveryAmount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Amount(rapid.Int64Range(-math.MaxInt64, math.MaxInt64).Draw(t, "minor"))
		stored, err := json.Marshal(a)
		var b Amount
		if err != nil || json.Unmarshal(stored, &b) != nil || b != a {
			t.Fatalf("%s is read as %s (%v)", stored, b, err)
		}
	})
}

func TestAddNeverWrapsAround(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := Amount(rapid.Int64().Draw(t, "a")), Amount(rapid.Int64().Draw(t, "b"))
		sum, err := a.Add(b)
		if errors.Is(err, ErrOverflow) {
			return
		}
		if sum-b != a || (b > 0) != (sum > a) && b != 0 {
			t.Fatalf("%d + %d = %d", a, b, sum)
		}
	})
}

func TestSharesOfAnAmountNeverExceedIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Amount(rapid.Int64Range(0, math.MaxInt64).Draw(t, "a"))
		whole := rapid.Int64Range(1, math.MaxInt64).Draw(t, "whole")
		part := rapid.Int64Range(0, whole).Draw(t, "part")
		x, err1 := a.Share(part, whole)
		y, err2 := a.Share(whole-part, whole)
		if err1 != nil || err2 != nil || x < 0 || y < 0 || x > a-y || a-y-x > 1 {
			t.Fatalf("%d split %d of %d into %d and %d (%v, %v)", a, part, whole, x, y, err1, err2)
		}
	})
}
