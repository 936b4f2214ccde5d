import { Kbd } from '@mantine/core'
import classes from './keys.module.css'

/** Keys to press one after the other, or the first held. */
export function Keys({ keys }: { keys: readonly string[] }) {
  return (
    <span className={classes.keys}>
      {keys.map((key, index) => (
        <span key={key}>
          {index > 0 && ' '}
          <Kbd size="xs">{key}</Kbd>
        </span>
      ))}
    </span>
  )
}
