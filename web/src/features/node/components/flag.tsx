import { Globe } from 'lucide-react'
import classes from './flag.module.css'

// Windows draws no flags from emoji. One small file each, fetched when it is shown.
const files = import.meta.glob<string>('/node_modules/country-flag-icons/3x2/??.svg', {
  query: '?url&no-inline',
  import: 'default',
  eager: true,
})

export function Flag({ code }: { code: string }) {
  const file = files[`/node_modules/country-flag-icons/3x2/${code}.svg`]
  if (!file)
    return <Globe size={18} strokeWidth={1.5} aria-hidden="true" className={classes.unknown} />
  return <img src={file} alt="" width={24} height={16} loading="lazy" className={classes.flag} />
}
