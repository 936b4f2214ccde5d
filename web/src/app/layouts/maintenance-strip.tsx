import { Wrench } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Markdown } from '@/ui/markdown'
import type { Note } from './maintenance'
import classes from './maintenance-strip.module.css'

/** Notes on maintenance in one line each, with the whole text behind it. */
export function MaintenanceStrip({ notes }: { notes: Note[] }) {
  const { t } = useTranslation()
  return (
    <section aria-label={t('announcements.maintenance')} className={classes.strip}>
      {notes.map(({ id, title, text }) =>
        text === '' ? (
          <p key={id} className={classes.line}>
            <Wrench {...icon} />
            {title}
          </p>
        ) : (
          <details key={id}>
            <summary className={classes.line}>
              <Wrench {...icon} />
              <span>{title || t('announcements.maintenance')}</span>
              <span className={classes.more}>{t('announcements.details')}</span>
            </summary>
            <div className={classes.text}>
              <Markdown text={text} level={3} />
            </div>
          </details>
        ),
      )}
    </section>
  )
}

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true, className: classes.icon } as const
