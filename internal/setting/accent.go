package setting

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
)

// builtinAccent is the colour of buttons where the operator chose none.
const builtinAccent = "#146f87"

var hexColour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// ButtonColour is the accent colour as buttons have it: its hue and saturation with the relative luminance of the
// built-in colour, so that white text on it has a contrast of at least 4.5 whatever the operator chose. The pages make
// all shades in the same way (web/src/lib/accent.ts). Empty: the operator chose none.
func (s Site) ButtonColour() string {
	if !hexColour.MatchString(s.Accent) {
		return ""
	}
	hue, saturation := hueOf(channelsOf(s.Accent))
	wanted := luminance(channelsOf(builtinAccent))
	const steps = 20 // finer than eight bits of each channel
	low, high := 0.0, 1.0
	for range steps {
		if middle := (low + high) / 2; luminance(colourOf(hue, saturation, middle)) < wanted {
			low = middle
		} else {
			high = middle
		}
	}
	out := "#"
	for _, channel := range colourOf(hue, saturation, (low+high)/2) {
		out += fmt.Sprintf("%02x", int(math.Round(channel*255)))
	}
	return out
}

// channelsOf returns red, green and blue of a colour such as #146f87, each from 0 to 1.
func channelsOf(colour string) (all [3]float64) {
	for i := range all {
		value, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			panic(err) // hexColour matches it
		}
		all[i] = float64(value) / 255
	}
	return all
}

// luminance is the relative luminance as WCAG 2 defines it.
// https://www.w3.org/TR/WCAG22/#dfn-relative-luminance
func luminance(colour [3]float64) (sum float64) {
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		value := colour[i]
		if value <= 0.04045 {
			value /= 12.92
		} else {
			value = math.Pow((value+0.055)/1.055, 2.4)
		}
		sum += weight * value
	}
	return sum
}

// hueOf returns the hue in degrees and the saturation of HSL.
func hueOf(colour [3]float64) (hue, saturation float64) {
	red, green, blue := colour[0], colour[1], colour[2]
	most, least := max(red, green, blue), min(red, green, blue)
	chroma := most - least
	if chroma == 0 {
		return 0, 0
	}
	switch most {
	case red:
		hue = (green-blue)/chroma + 6
	case green:
		hue = (blue-red)/chroma + 2
	default:
		hue = (red-green)/chroma + 4
	}
	return math.Mod(hue*60, 360), chroma / (1 - math.Abs(most+least-1))
}

// colourOf is the way back from HSL.
// https://www.w3.org/TR/css-color-4/#hsl-to-rgb
func colourOf(hue, saturation, lightness float64) (all [3]float64) {
	reach := saturation * min(lightness, 1-lightness)
	for i, offset := range []float64{0, 8, 4} {
		at := math.Mod(offset+hue/30, 12)
		all[i] = lightness - reach*max(-1, min(at-3, 9-at, 1))
	}
	return all
}
