/** Red, green and blue, from 0 to 1. */
type Channels = readonly [number, number, number]

const channelsOf = (colour: string) =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255) as unknown as Channels

const linear = (value: number) =>
  value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4

/** Relative luminance as WCAG 2 defines it. */
const luminanceOf = ([red, green, blue]: Channels) =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)

/** The contrast of two colours such as #146f87, from 1 to 21. AA asks for 4.5 of text. */
export function contrastOf(one: string, other: string): number {
  const [first, second] = [luminanceOf(channelsOf(one)), luminanceOf(channelsOf(other))]
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05)
}

/** Hue in degrees and saturation of HSL. */
function hueOf([red, green, blue]: Channels): [number, number] {
  const most = Math.max(red, green, blue)
  const least = Math.min(red, green, blue)
  const chroma = most - least
  if (chroma === 0) return [0, 0]
  const sector =
    most === red
      ? (green - blue) / chroma + 6
      : most === green
        ? (blue - red) / chroma + 2
        : (red - green) / chroma + 4
  return [(sector * 60) % 360, chroma / (1 - Math.abs(most + least - 1))]
}

/** The way back from HSL. */
function colourOf([hue, saturation]: [number, number], lightness: number): Channels {
  const reach = saturation * Math.min(lightness, 1 - lightness)
  const channel = (offset: number) => {
    const at = (offset + hue / 30) % 12
    return lightness - reach * Math.max(-1, Math.min(at - 3, 9 - at, 1))
  }
  return [channel(0), channel(8), channel(4)]
}

const hexOf = (colour: Channels) =>
  `#${colour
    .map((value) =>
      Math.round(value * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`

/** Finer than eight bits of each channel. */
const STEPS = 20

/**
 * `shade` in the hue of `accent`: with the luminance of `shade`, so that it has the same contrast with any other colour.
 * Whatever the operator chooses, text stays as easy to read as in the built-in colours. The server makes the colour of
 * buttons in the same way (internal/setting/accent.go).
 */
export function inHueOf(accent: string, shade: string): string {
  const hue = hueOf(channelsOf(accent))
  const wanted = luminanceOf(channelsOf(shade))
  let [low, high] = [0, 1]
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2
    if (luminanceOf(colourOf(hue, middle)) < wanted) low = middle
    else high = middle
  }
  return hexOf(colourOf(hue, (low + high) / 2))
}

/** Whether the operator has a colour of their own, in the form that the server takes. */
export const isColour = (text: string | undefined): text is string =>
  text !== undefined && /^#[0-9a-f]{6}$/i.test(text)
