import { Button } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { RequestId } from '@/ui/request-id'
import { problemText } from '@/lib/server-problem'
import { StatusPage } from '@/ui/status-page'
import { isCrawler } from './crawler'
import { LostChunkError } from '@/lib/lazy-part'
import { reloadOnce } from './lazy'

/** What a route shows when it, its loader or its chunk failed. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const { t } = useTranslation()

  useReloadOnline()
  if (isCrawler()) {
    console.error(error)
    return null
  }
  if (navigator.onLine && error instanceof LostChunkError) return <LostChunkPage />
  const isKnown = error instanceof ApiError || error instanceof LostChunkError
  const ownMessage = isKnown ? problemText(error, t) : undefined
  return (
    <StatusPage
      documentTitle={ownMessage ?? t('error.broken')}
      caption={!ownMessage && `500 · ${t('error.broken')}`}
      title={t(ownMessage ? 'error.loading' : 'error.brokenTitle')}
      text={ownMessage ?? t('error.brokenText')}
      action={<ReloadButton />}
    >
      {error instanceof ApiError && <RequestId id={error.requestId} />}
    </StatusPage>
  )
}

/** A page that could not be loaded without a network comes by itself once there is one. */
function useReloadOnline() {
  useEffect(() => {
    if (navigator.onLine) return
    const reload = () => location.reload()
    addEventListener('online', reload)
    return () => removeEventListener('online', reload)
  }, [])
}

function LostChunkPage() {
  const { t } = useTranslation()
  if (reloadOnce(location.pathname)) return null
  return (
    <StatusPage
      title={t('error.lostChunkTitle')}
      text={t('error.lostChunkText')}
      action={<ReloadButton />}
    />
  )
}

function ReloadButton() {
  const { t } = useTranslation()
  return <Button onClick={() => location.reload()}>{t('reload')}</Button>
}
