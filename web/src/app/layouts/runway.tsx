import classes from './runway.module.css'

// One stripe of the centre line per step towards the horizon, drawn in perspective.
const HORIZON_Y = 330
const THRESHOLD_Y = 900
const CENTRE_X = 720
const NEAR_HALF_WIDTH = 560
const FAR_HALF_WIDTH = 22

const depth = (step: number) => 1 / (1 + step * 0.55)
const y = (d: number) => HORIZON_Y + (THRESHOLD_Y - HORIZON_Y) * d
const halfWidth = (d: number) => FAR_HALF_WIDTH + (NEAR_HALF_WIDTH - FAR_HALF_WIDTH) * d

function strip(from: number, to: number, left: number, right: number): string {
  const [near, far] = [depth(from), depth(to)]
  const x = (d: number, share: number) => (CENTRE_X + halfWidth(d) * share).toFixed(1)
  return `M${x(near, left)} ${y(near).toFixed(1)}L${x(near, right)} ${y(near).toFixed(1)}L${x(far, right)} ${y(far).toFixed(1)}L${x(far, left)} ${y(far).toFixed(1)}Z`
}

const centreLine = Array.from({ length: 16 }, (_, i) =>
  strip(i * 1.1, i * 1.1 + 0.55, -0.018, 0.018),
).join('')
const edges = strip(0, 60, -0.93, -0.91) + strip(0, 60, 0.91, 0.93)
const lights = Array.from({ length: 14 }, (_, i) => depth(i * 0.9)).flatMap((d) =>
  [-1.12, 1.12].map((side) => ({
    x: CENTRE_X + halfWidth(d) * side,
    y: y(d),
    radius: 0.8 + 4 * d,
  })),
)

/** The quiet background of the open pages: a runway at dusk, in the accent's tints. */
export function Runway() {
  return (
    <svg
      className={classes.runway}
      viewBox="0 0 1440 900"
      preserveAspectRatio="xMidYMax slice"
      aria-hidden="true"
    >
      <defs>
        <linearGradient id="runway-sky" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" className={classes.skyHigh} />
          <stop offset="1" className={classes.skyLow} />
        </linearGradient>
        <linearGradient id="runway-ground" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" className={classes.skyLow} />
          <stop offset="0.45" className={classes.ground} />
        </linearGradient>
        <linearGradient id="runway-fade" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="#fff" stopOpacity="0.15" />
          <stop offset="0.35" stopColor="#fff" stopOpacity="0.7" />
          <stop offset="1" stopColor="#fff" />
        </linearGradient>
        <mask id="runway-mask">
          <rect
            y={HORIZON_Y}
            width="1440"
            height={THRESHOLD_Y - HORIZON_Y}
            fill="url(#runway-fade)"
          />
        </mask>
      </defs>
      <rect width="1440" height={HORIZON_Y} fill="url(#runway-sky)" />
      <rect y={HORIZON_Y} width="1440" height={900 - HORIZON_Y} fill="url(#runway-ground)" />
      <g mask="url(#runway-mask)">
        <path d={strip(0, 60, -1, 1)} className={classes.surface} />
        <path d={edges + centreLine} className={classes.marking} />
        {lights.map((light) => (
          <circle
            key={`${light.x} ${light.y}`}
            cx={light.x}
            cy={light.y}
            r={light.radius}
            className={classes.light}
          />
        ))}
      </g>
    </svg>
  )
}
