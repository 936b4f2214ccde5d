import { Text } from '@mantine/core'
import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { problemText } from '@/lib/server-problem'
import type { CaptchaEvents } from './captcha'
import classes from './captcha.module.css'
import { solveCaptcha } from './solve'

/** A calculation that the device does by itself; it ends with the page. */
export function ProofOfWork(props: CaptchaEvents) {
  const { t } = useTranslation('captcha')
  const { t: common } = useTranslation()
  const [share, setShare] = useState(0)
  const [isDone, setDone] = useState(false)
  const solved = useEffectEvent((token: string) => {
    setDone(true)
    props.onSolved(token)
  })
  const failed = useEffectEvent((error: unknown) => props.onFailed(problemText(error, common)))

  useEffect(() => {
    const leaving = new AbortController()
    solveCaptcha(leaving.signal, setShare).then(
      (token) => leaving.signal.aborted || solved(token),
      (error: unknown) => leaving.signal.aborted || failed(error),
    )
    return () => leaving.abort()
  }, [])

  return (
    <>
      <Text role="status" size="sm" c="dimmed">
        {isDone ? t('done') : t('working')}
      </Text>
      <progress className={classes.progress} aria-label={t('progress')} value={share} />
    </>
  )
}
