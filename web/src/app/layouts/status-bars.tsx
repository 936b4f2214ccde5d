import { Button } from '@mantine/core'
import { useNetwork } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useNewVersion } from '../version-poll'
import classes from './status-bars.module.css'

/** Quiet lines above the page: the network is away, a new build is there. */
export function StatusBars() {
  const { t } = useTranslation()
  const { online } = useNetwork()
  return (
    <div role="status" className={online ? undefined : classes.sticky}>
      {!online && <p className={classes.bar}>{t('offline')}</p>}
      <NewVersionBar />
    </div>
  )
}

function NewVersionBar() {
  const { t } = useTranslation()
  const router = useRouter()
  const hasNewVersion = useNewVersion()

  // The next page comes from the new build; a form with changes blocks the navigation itself.
  useEffect(() => {
    if (!hasNewVersion) return
    return router.subscribe('onBeforeLoad', ({ toLocation, pathChanged }) => {
      if (pathChanged) location.assign(toLocation.href)
    })
  }, [hasNewVersion, router])

  if (!hasNewVersion) return null
  return (
    <p className={classes.bar}>
      {t('newVersion')}
      <Button size="compact-sm" variant="subtle" onClick={() => location.reload()}>
        {t('reload')}
      </Button>
    </p>
  )
}
