package console

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"airstrip/internal/fault"
)

// Widths are how wide columns of a list are, in pixels, as text: keys with numbers, such as "email=240,state=120", in
// the order of the keys.
type Widths string

// The bounds of a width: the narrowest column shows the beginning of its title, the widest leaves others in sight.
const (
	MinWidth = 60
	MaxWidth = 800
)

// WidthsOf returns widths, by the keys of their columns, as they are stored.
func WidthsOf(pixels map[string]int) Widths {
	parts := make([]string, 0, len(pixels))
	for _, key := range slices.Sorted(maps.Keys(pixels)) {
		parts = append(parts, key+"="+strconv.Itoa(pixels[key]))
	}
	return Widths(strings.Join(parts, ","))
}

// Pixels returns the widths by the keys of their columns.
func (w Widths) Pixels() map[string]int {
	pixels := map[string]int{}
	for part := range strings.SplitSeq(string(w), ",") {
		if key, number, found := strings.Cut(part, "="); found {
			pixels[key], _ = strconv.Atoi(number) // check has read it
		}
	}
	return pixels
}

// check adds to wrong what is no width, and one of a column that columns leaves out. Which columns a list has only the
// console knows; where columns is empty, that is left to it.
func (w Widths) check(wrong *fault.Problems, columns string) {
	if w == "" {
		return
	}
	parts, shown := strings.Split(string(w), ","), strings.Split(columns, ",")
	isGood := len(parts) <= maxColumns
	for _, part := range parts {
		key, number, _ := strings.Cut(part, "=")
		pixels, err := strconv.Atoi(number)
		isGood = isGood && err == nil && pixels >= MinWidth && pixels <= MaxWidth && columnKey.MatchString(key) &&
			(columns == "" || slices.Contains(shown, key))
	}
	wrong.When(!isGood || WidthsOf(w.Pixels()) != w, "widths", "range", "列宽须为所列各列的 60 到 800 像素",
		"Widths are 60 to 800 pixels of columns that are shown")
}
