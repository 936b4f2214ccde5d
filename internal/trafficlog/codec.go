package trafficlog

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"slices"
)

// version is the first byte of each blob. A program that writes another layout takes another version and reads both.
const version = 1

// chunkBits is the logarithm of the number of users in a chunk. With chunks of 64 and 256 users a report of 10,000
// users takes four and two times as long to write.
const chunkBits = 10

const (
	chunkUsers = 1 << chunkBits
	maxUser    = math.MaxUint32 // ids of packs and chunks hold a user or a chunk in 32 bits
	dayHours   = 24
)

// errBlob is returned for bytes that no version of the program wrote.
var errBlob = errors.New("trafficlog: the bytes of the log are damaged")

// Amount is what was moved, in bytes.
type Amount struct{ Up, Down, Billed int64 }

// plus adds amounts; a sum beyond 63 bits is the largest number there is.
func (a Amount) plus(b Amount) Amount {
	return Amount{saturate(a.Up, b.Up), saturate(a.Down, b.Down), saturate(a.Billed, b.Billed)}
}

// fits tells whether the sum of two amounts fits 63 bits.
func (a Amount) fits(b Amount) bool {
	return a.Up <= math.MaxInt64-b.Up && a.Down <= math.MaxInt64-b.Down && a.Billed <= math.MaxInt64-b.Billed
}

func saturate(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// userAmount is one user of a chunk.
type userAmount struct {
	user int64
	Amount
}

// slot is a place within a user's day: an hour of the UTC day, a node and a rate.
type slot struct{ hour, node, rate int64 }

func (s slot) compare(o slot) int {
	return cmp.Or(cmp.Compare(s.hour, o.hour), cmp.Compare(s.node, o.node), cmp.Compare(s.rate, o.rate))
}

// slotAmount is one row of a pack.
type slotAmount struct {
	slot
	Amount
}

// expected returns what so many bytes cost at a rate, which the stored cost differs from by what each report rounded
// down. Where it does not fit 63 bits it is 0, and the whole cost is stored.
func expected(up, down, rate int64) int64 {
	if up > math.MaxInt64-down {
		return 0
	}
	hi, lo := bits.Mul64(uint64(up+down), uint64(rate))
	if hi >= 1000 {
		return 0
	}
	q, _ := bits.Div64(hi, lo, 1000)
	if q > math.MaxInt64 {
		return 0
	}
	return int64(q)
}

func appendAmount(b []byte, a Amount, rate int64) []byte {
	b = binary.AppendUvarint(b, uint64(a.Up))
	b = binary.AppendUvarint(b, uint64(a.Down))
	return binary.AppendVarint(b, a.Billed-expected(a.Up, a.Down, rate)) // both in [0, 2^63)
}

// reader reads a blob. After an error it returns zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uvarint() int64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > math.MaxInt64 {
		r.b, r.bad = nil, true
		return 0
	}
	r.b = r.b[n:]
	return int64(v)
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.b, r.bad = nil, true
		return 0
	}
	r.b = r.b[n:]
	return v
}

// pass goes on after so many numbers.
func (r *reader) pass(numbers int) {
	for i, c := range r.b {
		if c < 0x80 { // the last byte of a number
			if numbers--; numbers == 0 {
				r.b = r.b[i+1:]
				return
			}
		}
	}
	r.b, r.bad = nil, true
}

func (r *reader) amount(rate int64) (a Amount) {
	a.Up, a.Down = r.uvarint(), r.uvarint()
	base, more := expected(a.Up, a.Down, rate), r.varint()
	if more > math.MaxInt64-base || more < -base {
		r.b, r.bad = nil, true
		return Amount{}
	}
	a.Billed = base + more
	return a
}

// open checks the version of a blob.
func open(data []byte) *reader {
	if len(data) == 0 || data[0] != version {
		return &reader{bad: true}
	}
	return &reader{b: data[1:]}
}

// encodeChunk writes the users of a chunk, in the order of their ids. The rate is that of the chunk; chunks of days and
// months take 1000.
func encodeChunk(rows []userAmount, rate int64) []byte {
	b := make([]byte, 1, 1+12*len(rows))
	b[0] = version
	last := int64(-1)
	for _, r := range rows {
		place := r.user & (chunkUsers - 1)
		b = binary.AppendUvarint(b, uint64(place-last-1))
		b = appendAmount(b, r.Amount, rate)
		last = place
	}
	return b
}

// eachOfChunk calls fn for each user of a chunk, in the order of their ids.
func eachOfChunk(data []byte, chunk, rate int64, fn func(user int64, a Amount)) error {
	r := open(data)
	last := int64(-1)
	for len(r.b) > 0 {
		skip := r.uvarint()
		a := r.amount(rate)
		if r.bad || skip >= chunkUsers-last-1 {
			return errBlob
		}
		last += skip + 1
		fn(chunk<<chunkBits|last, a)
	}
	if r.bad {
		return errBlob
	}
	return nil
}

func decodeChunk(data []byte, chunk, rate int64) (rows []userAmount, err error) {
	err = eachOfChunk(data, chunk, rate, func(user int64, a Amount) { rows = append(rows, userAmount{user, a}) })
	return rows, err
}

// ofChunk returns what one user has in a chunk. It passes over the users before and reads none of those after, since
// a chart looks for one user in hundreds of chunks.
func ofChunk(data []byte, user, rate int64) (a Amount, err error) {
	r := open(data)
	wanted := user & (chunkUsers - 1)
	for place := int64(-1); len(r.b) > 0; {
		skip := r.uvarint()
		if r.bad || skip >= chunkUsers-place-1 {
			return Amount{}, errBlob
		}
		if place += skip + 1; place > wanted {
			return Amount{}, nil
		}
		if place == wanted {
			if a = r.amount(rate); r.bad {
				return Amount{}, errBlob
			}
			return a, nil
		}
		r.pass(3) // up, down and billed
	}
	if r.bad {
		return Amount{}, errBlob
	}
	return Amount{}, nil
}

// mergeChunk adds the rows of b to those of a; both are in the order of their ids.
func mergeChunk(a, b []userAmount) []userAmount {
	return merge(a, b, func(x, y userAmount) int { return cmp.Compare(x.user, y.user) },
		func(x, y userAmount) userAmount { return userAmount{x.user, x.plus(y.Amount)} })
}

// mergePack adds the rows of b to those of a; both are in the order of their slots.
func mergePack(a, b []slotAmount) []slotAmount {
	return merge(a, b, func(x, y slotAmount) int { return x.compare(y.slot) },
		func(x, y slotAmount) slotAmount { return slotAmount{x.slot, x.plus(y.Amount)} })
}

func merge[T any](a, b []T, compare func(x, y T) int, add func(x, y T) T) []T {
	if len(a) == 0 {
		return b
	}
	out := make([]T, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := compare(a[0], b[0]); {
		case c < 0:
			out, a = append(out, a[0]), a[1:]
		case c > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, add(a[0], b[0])), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// sortPack brings rows into the order of a pack and adds those of the same slot.
func sortPack(rows []slotAmount) []slotAmount {
	slices.SortFunc(rows, func(a, b slotAmount) int { return a.compare(b.slot) })
	out := rows[:0]
	for _, r := range rows {
		if n := len(out); n > 0 && out[n-1].slot == r.slot {
			out[n-1].Amount = out[n-1].plus(r.Amount)
			continue
		}
		out = append(out, r)
	}
	return out
}

// encodePack writes the rows of a user's day: for each hour its distance from the last one and its number of rows; for
// each row the distance of its node from that of the row before in the hour, whether the rate is another than that of
// the row before, if so the rate, and the amount.
func encodePack(rows []slotAmount) []byte {
	b := make([]byte, 1, 1+13*len(rows))
	b[0] = version
	hour, rate := int64(0), int64(1000)
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].hour == rows[0].hour {
			n++
		}
		b = binary.AppendUvarint(b, uint64(rows[0].hour-hour))
		b = binary.AppendUvarint(b, uint64(n))
		hour = rows[0].hour
		node := int64(0)
		for _, r := range rows[:n] {
			head := uint64(r.node-node) << 1
			if r.rate != rate {
				head |= 1
			}
			b = binary.AppendUvarint(b, head)
			if r.rate != rate {
				b = binary.AppendUvarint(b, uint64(r.rate))
			}
			b = appendAmount(b, r.Amount, r.rate)
			node, rate = r.node, r.rate
		}
		rows = rows[n:]
	}
	return b
}

// eachOfPack calls fn for each row of a pack, in the order of their slots.
func eachOfPack(data []byte, fn func(slotAmount)) error {
	r := open(data)
	hour, rate := int64(0), int64(1000)
	for len(r.b) > 0 {
		skip, n := r.uvarint(), r.uvarint()
		if skip >= dayHours-hour || n == 0 {
			return errBlob
		}
		hour += skip
		node := int64(0)
		for range n {
			head := r.uvarint()
			if head&1 == 1 {
				rate = r.uvarint()
			}
			a := r.amount(rate)
			if r.bad || head>>1 > math.MaxInt32-node {
				return errBlob
			}
			node += head >> 1
			fn(slotAmount{slot{hour, node, rate}, a})
		}
	}
	if r.bad {
		return errBlob
	}
	return nil
}

func decodePack(data []byte) (rows []slotAmount, err error) {
	err = eachOfPack(data, func(r slotAmount) { rows = append(rows, r) })
	return rows, err
}

// sumsFrom is the number of rows from which on a pack has the sums of its hours beside them, so that the chart of a
// user with many nodes need not read all rows.
const sumsFrom = 64

// encodeSums writes what a user moved in each hour of a day; nil where the rows are few.
func encodeSums(rows []slotAmount) []byte {
	if len(rows) < sumsFrom {
		return nil
	}
	return encodePack(hourSums(rows))
}

// hourSums adds the rows of each hour.
func hourSums(rows []slotAmount) (sums []slotAmount) {
	for _, r := range rows {
		if n := len(sums); n > 0 && sums[n-1].hour == r.hour {
			sums[n-1].Amount = sums[n-1].plus(r.Amount)
			continue
		}
		sums = append(sums, slotAmount{slot{hour: r.hour, rate: 1000}, r.Amount})
	}
	return sums
}

func sumOf(rows []slotAmount) (a Amount) {
	for _, r := range rows {
		a = a.plus(r.Amount)
	}
	return a
}
