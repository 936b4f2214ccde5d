import { Button } from '@mantine/core'
import { Eye } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { signOut } from '@/lib/api/auth-api'
import { useNow } from '@/lib/now'
import { session } from '@/lib/session/current-session'
import classes from './visit-bar.module.css'

/** Says on every page, in sight wherever one scrolls, that staff sees the site as a user, for how long, and ends it. */
export function VisitBar() {
  const { t } = useTranslation('visit')
  const now = useNow(5_000)
  const [isEnding, setEnding] = useState(false)
  const { state } = session
  if (state.status !== 'authenticated') return null
  const minutes = Math.max(1, Math.ceil((state.expiresAt.getTime() - now) / 60_000))
  const end = async () => {
    setEnding(true)
    await signOut().catch(() => undefined) // it ends by itself then
    session.signOut()
  }
  return (
    <section aria-label={t('label')} className={classes.bar}>
      <Eye size={18} strokeWidth={2} aria-hidden="true" className={classes.icon} />
      <p className={classes.text}>
        <strong>{t('as', { name: state.user.user_name })}</strong> <span>{state.user.email}</span>
      </p>
      <span className={classes.time}>{t('left', { count: minutes })}</span>
      <Button
        size="compact-sm"
        variant="white"
        color="dark"
        loading={isEnding}
        onClick={() => void end()}
      >
        {t('end')}
      </Button>
    </section>
  )
}
