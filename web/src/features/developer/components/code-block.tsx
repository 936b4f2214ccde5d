import { useTranslation } from 'react-i18next'
import { CopyButton } from '@/ui/copy-button'
import classes from './code-block.module.css'

/** Code to copy. `name` labels it. */
export function CodeBlock({ name, text }: { name: string; text: string }) {
  const { t } = useTranslation('developer')
  return (
    <div className={classes.block}>
      <pre
        // Focusable, so that the keyboard can scroll it.
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
