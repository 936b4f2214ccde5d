package trafficlog

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// bytesMoved draws small and huge numbers alike.
func bytesMoved() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Int64Range(0, 300), rapid.Int64Range(0, 1<<40), rapid.Int64Range(0, math.MaxInt64))
}

func anyAmount(t *rapid.T, rate int64) Amount {
	a := Amount{Up: bytesMoved().Draw(t, "up"), Down: bytesMoved().Draw(t, "down")}
	if a.Billed = expected(a.Up, a.Down, rate); a.Billed < 5 || rapid.Bool().Draw(t, "other cost") {
		a.Billed = bytesMoved().Draw(t, "billed")
	} else {
		a.Billed -= rapid.Int64Range(0, 5).Draw(t, "rounded down")
	}
	return a
}

func anyRate() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.SampledFrom([]int64{0, 1000, 1500}), rapid.Int64Range(0, 100_000))
}

func anyChunk(t *rapid.T, chunk, rate int64) []userAmount {
	places := rapid.SliceOfNDistinct(rapid.Int64Range(0, chunkUsers-1), 0, 40, rapid.ID[int64]).Draw(t, "users")
	slices.Sort(places)
	var rows []userAmount
	for _, p := range places {
		rows = append(rows, userAmount{chunk<<chunkBits | p, anyAmount(t, rate)})
	}
	return rows
}

func anyPack(t *rapid.T) []slotAmount {
	slots := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) slot {
		return slot{
			rapid.Int64Range(0, 23).Draw(t, "hour"),
			rapid.OneOf(rapid.Int64Range(1, 5), rapid.Int64Range(1, math.MaxInt32)).Draw(t, "node"),
			anyRate().Draw(t, "rate"),
		}
	}), 0, 90, rapid.ID[slot]).Draw(t, "slots")
	slices.SortFunc(slots, slot.compare)
	var rows []slotAmount
	for _, s := range slots {
		rows = append(rows, slotAmount{s, anyAmount(t, s.rate)})
	}
	return rows
}

func TestChunk_IsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chunk, rate := rapid.Int64Range(0, maxUser>>chunkBits).Draw(t, "chunk"), anyRate().Draw(t, "rate")
		rows := anyChunk(t, chunk, rate)
		read, err := decodeChunk(encodeChunk(rows, rate), chunk, rate)
		if err != nil || !slices.Equal(read, rows) {
			t.Fatalf("%v became %v, %v", rows, read, err)
		}
		amounts, data := map[int64]Amount{}, encodeChunk(rows, rate)
		for _, r := range rows {
			amounts[r.user] = r.Amount
		}
		for user := chunk << chunkBits; user < (chunk+1)<<chunkBits; user++ {
			if a, err := ofChunk(data, user, rate); err != nil || a != amounts[user] {
				t.Fatalf("user %d has %v, %v; not %v", user, a, err, amounts[user])
			}
		}
	})
}

func TestPack_IsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := anyPack(t)
		read, err := decodePack(encodePack(rows))
		if err != nil || !slices.Equal(read, rows) {
			t.Fatalf("%v became %v, %v", rows, read, err)
		}
		if sums := encodeSums(rows); (sums != nil) != (len(rows) >= sumsFrom) {
			t.Fatalf("%d rows have the sums %v", len(rows), sums)
		} else if sums != nil {
			if read, err := decodePack(sums); err != nil || !slices.Equal(read, hourSums(rows)) {
				t.Fatalf("the sums became %v, %v", read, err)
			}
		}
	})
}

func TestMerge_TakesAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := anyPack(t), anyPack(t), anyPack(t)
		want := sortPack(slices.Concat(a, b, c))
		for _, parts := range [][3][]slotAmount{{a, b, c}, {c, b, a}, {b, c, a}} {
			if got := mergePack(mergePack(parts[0], parts[1]), parts[2]); !slices.Equal(got, want) {
				t.Fatalf("%v merged into %v, not %v", parts, got, want)
			}
		}
		x, y := anyChunk(t, 1, 1000), anyChunk(t, 1, 1000)
		if one, other := mergeChunk(x, y), mergeChunk(y, x); !slices.Equal(one, other) {
			t.Fatalf("%v and %v", one, other)
		}
	})
}

func FuzzDecodeChunk(f *testing.F) {
	f.Add(encodeChunk([]userAmount{{5, Amount{1, 2, 3}}, {1023, Amount{1, 2, math.MaxInt64}}}, 1500), int64(1500))
	f.Add([]byte{}, int64(0))
	f.Add([]byte{version, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0}, int64(1000))
	f.Fuzz(func(t *testing.T, data []byte, rate int64) {
		if rate < 0 || rate > 100_000 {
			return
		}
		rows, err := decodeChunk(data, 0, rate)
		last, oneErr := ofChunk(data, chunkUsers-1, rate) // whatever the bytes are, it ends
		if err != nil {
			return
		}
		if n := len(rows); oneErr != nil || n > 0 && rows[n-1].user == chunkUsers-1 && last != rows[n-1].Amount {
			t.Fatal(last, oneErr, rows)
		}
		for i, r := range rows {
			if r.Up < 0 || r.Down < 0 || r.Billed < 0 || r.user >= chunkUsers || i > 0 && r.user <= rows[i-1].user {
				t.Fatal(rows)
			}
		}
		if again, err := decodeChunk(encodeChunk(rows, rate), 0, rate); err != nil || !slices.Equal(again, rows) {
			t.Fatalf("%v became %v, %v", rows, again, err)
		}
	})
}

func FuzzDecodePack(f *testing.F) {
	f.Add(encodePack([]slotAmount{{slot{0, 1, 1000}, Amount{1, 2, 3}}, {slot{23, 7, 0}, Amount{1, 2, 0}}}))
	f.Add(bytes.Repeat([]byte{1}, 30))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, err := decodePack(data)
		if err != nil {
			return
		}
		for _, r := range rows {
			if r.Up < 0 || r.Down < 0 || r.Billed < 0 || r.hour < 0 || r.hour > 23 || r.node < 0 || r.rate < 0 {
				t.Fatal(rows)
			}
		}
	})
}
