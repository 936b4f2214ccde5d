package v2

import (
	"fmt"
	"strings"
)

// NodeID is the path of a node.
type NodeID struct {
	ID int64 `path:"node_id" minimum:"1"`
}

// RateText writes a rate with two or, where it needs them, three decimal places.
func RateText(permille int64) string {
	text := fmt.Sprintf("%d.%03d", permille/1000, permille%1000)
	return strings.TrimSuffix(text, "0")
}

// RateTexts writes each rate as RateText does.
func RateTexts(permilles []int64) []string {
	out := make([]string, len(permilles))
	for i, p := range permilles {
		out[i] = RateText(p)
	}
	return out
}
