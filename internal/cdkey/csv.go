package cdkey

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// CSV gives the batch's keys as a file: one line each, with what a key gives.
func (b *Batch) CSV(keys []string) string {
	gives := ""
	switch b.Kind {
	case Amount:
		gives = b.Amount.String()
	case Plan:
		gives = fmt.Sprintf("plan %d: %d months %d days", *b.PlanID, *b.Months, *b.Days)
	case Traffic:
		gives = strconv.FormatInt(*b.Bytes, 10) + " bytes"
	}
	until := ""
	if b.ExpiresAt != nil {
		until = b.ExpiresAt.Format(time.RFC3339)
	}
	var text strings.Builder
	w := csv.NewWriter(&text)
	_ = w.Write([]string{"cd_key", "gives", "expires_at"}) // a strings.Builder takes everything
	for _, key := range keys {
		_ = w.Write([]string{key, gives, until})
	}
	w.Flush()
	return text.String()
}
