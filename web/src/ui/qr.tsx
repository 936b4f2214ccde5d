import { useMemo } from 'react'
import { encode } from 'uqr'
import classes from './qr.module.css'

/** A QR code, dark on white in both schemes: cameras need that. */
export function Qr({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => draw(text), [text])
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      className={classes.qr}
      shapeRendering="crispEdges"
    >
      <path d={path} />
    </svg>
  )
}

/** The code that says the text: rows of modules, of which the dark ones are true. */
export const encodeQr = (text: string) => encode(text, { ecc: 'M', border: 2 })

function draw(text: string): { path: string; size: number } {
  const { data, size } = encodeQr(text)
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  return { path, size }
}
