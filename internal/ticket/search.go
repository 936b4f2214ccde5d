package ticket

import (
	"context"
	"hash/fnv"
	"slices"
	"strings"
	"unicode"

	"github.com/uptrace/bun"
)

// A text is found by its words: a run of letters and digits is one, in lower case, and a run of Chinese, Japanese or
// Korean characters, which has no spaces, is each two characters that stand beside each other. Words are kept as 64-bit
// hashes, so that both engines find them by one index of two integers, whatever their language. Two words with one hash
// would show a ticket too many, which a search may.

const (
	maxWords    = 2000 // of one text
	maxAsked    = 12   // of one search
	maxWordSize = 64   // characters
)

type word struct {
	bun.BaseModel `bun:"table:ticket_word"`
	Word          int64
	TicketID      int64
	IsNote        bool
}

// words gives the hashes of a text's words, each once.
func words(s string, limit int) []int64 {
	var found []int64
	seen := map[int64]bool{}
	add := func(w string) {
		h := fnv.New64a()
		h.Write([]byte(w))
		if n := int64(h.Sum64()); !seen[n] && len(found) < limit {
			seen[n] = true
			found = append(found, n)
		}
	}
	var run []rune
	ideographs := false
	end := func() {
		switch {
		case len(run) == 0:
		case ideographs && len(run) > 1:
			for i := range len(run) - 1 {
				add(string(run[i : i+2]))
			}
		case ideographs: // a single one is found as such only where it stands alone
			add(string(run))
		default:
			add(string(run[:min(len(run), maxWordSize)]))
		}
		run = run[:0]
	}
	for _, r := range strings.ToLower(s) {
		is := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
		if !is && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end()
			continue
		}
		if is != ideographs {
			end()
			ideographs = is
		}
		run = append(run, r)
	}
	end()
	return found
}

// index makes a ticket be found by the words of a text.
func index(ctx context.Context, tx bun.Tx, ticketID int64, s string, isNote bool) error {
	for part := range slices.Chunk(words(s, maxWords), 500) {
		rows := make([]word, len(part))
		for i, w := range part {
			rows[i] = word{Word: w, TicketID: ticketID, IsNote: isNote}
		}
		// Rows in one order: of two that write the same words neither waits for the other in a circle.
		slices.SortFunc(rows, func(a, b word) int { return compare(a.Word, b.Word) })
		if _, err := tx.NewInsert().Model(&rows).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// search narrows a query of tickets to those that have all words of a text. A text without words finds nothing.
func search(q *bun.SelectQuery, s string, notes bool, userID int64) {
	asked := words(s, maxAsked)
	if len(asked) == 0 {
		q.Where("1 = 0")
		return
	}
	kinds := []bool{false}
	if notes {
		kinds = append(kinds, true)
	}
	if userID != 0 { // few tickets: each is looked up in the index
		for _, w := range asked {
			q.Where("EXISTS (SELECT 1 FROM ticket_word AS w WHERE w.word = ? AND w.ticket_id = ?TableAlias.id "+
				"AND w.is_note IN (?))", w, bun.List(kinds))
		}
		return
	}
	var parts []string
	var values []any
	for _, w := range asked {
		parts = append(parts, "SELECT ticket_id FROM ticket_word WHERE word = ? AND is_note IN (?)")
		values = append(values, w, bun.List(kinds))
	}
	q.Where("?TableAlias.id IN ("+strings.Join(parts, " INTERSECT ")+")", values...)
}
