import { Globe } from 'lucide-react'
import { useState } from 'react'
import classes from './flag.module.css'

/** A country's flag as a picture (see tools/flags.ts): Windows draws none from emoji. A globe where there is none. */
export function Flag({ code }: { code: string }) {
  const [hasFlag, setHasFlag] = useState(/^(?!ZZ)[A-Z]{2}$/.test(code))
  if (!hasFlag) {
    return <Globe size={18} strokeWidth={1.5} aria-hidden="true" className={classes.unknown} />
  }
  return (
    <img
      src={`/flags/${code}.svg`}
      alt=""
      width={24}
      height={16}
      loading="lazy"
      className={classes.flag}
      onError={() => setHasFlag(false)}
    />
  )
}
