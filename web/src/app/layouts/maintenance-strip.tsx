import { Wrench } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Markdown } from '@/ui/markdown'
import type { Note } from './maintenance'
import classes from './maintenance-strip.module.css'

/** Notes on maintenance in one line each, with the whole text behind it. */
export function MaintenanceStrip({ notes }: { notes: Note[] }) {
  const { t } = useTranslation()
  if (notes.length === 0) return null
  return (
    <section aria-label={t('announcements.maintenance')} className={classes.strip}>
      {notes.map(({ id, title, text }) =>
        text === '' ? (
          <p key={id} className={classes.line}>
            <Wrench {...icon} />
            {title}
          </p>
        ) : (
          <Details key={id} title={title} text={text} />
        ),
      )}
    </section>
  )
}

/** The text is drawn from when it is first opened, so that nobody loads what reads Markdown for a closed strip. */
function Details({ title, text }: { title: string; text: string }) {
  const { t } = useTranslation()
  const [wasOpened, setOpened] = useState(false)
  return (
    <details onToggle={() => setOpened(true)}>
      <summary className={classes.line}>
        <Wrench {...icon} />
        <span>{title || t('announcements.maintenance')}</span>
        <span className={classes.more}>{t('announcements.details')}</span>
      </summary>
      <div className={classes.text}>{wasOpened && <Markdown text={text} level={3} />}</div>
    </details>
  )
}

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true, className: classes.icon } as const
