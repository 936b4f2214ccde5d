import { useTranslation } from 'react-i18next'
import { CopyButton } from '@/ui/copy-button'
import classes from './code-block.module.css'

/** A text for machines, to copy. `name` is what it is. */
export function CodeBlock({ name, text }: { name: string; text: string }) {
  const { t } = useTranslation('developer')
  return (
    <div className={classes.block}>
      <pre
        // Scrolled with the keyboard too.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="region"
        aria-label={t('code', { name })}
        className={classes.code}
      >
        {text}
      </pre>
      <CopyButton text={text} name={name} size="sm" className={classes.copy} />
    </div>
  )
}
