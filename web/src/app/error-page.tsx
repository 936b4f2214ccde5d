import { Button } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
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

  if (isCrawler()) {
    console.error(error)
    return null
  }
  if (error instanceof LostChunkError) return <LostChunkPage />
  const ownMessage = error instanceof ApiError ? problemText(error, t) : undefined
  return (
    <StatusPage
      documentTitle={ownMessage ?? 'Internal Server Error'}
      caption="500 · Internal Server Error"
      title={t('error.brokenTitle')}
      text={ownMessage ?? t('error.brokenText')}
      action={<ReloadButton />}
    >
      {error instanceof ApiError && <RequestId id={error.requestId} />}
    </StatusPage>
  )
}

function LostChunkPage() {
  const { t } = useTranslation()
  const isOffline = !navigator.onLine
  if (!isOffline && reloadOnce(location.pathname)) return null
  const title = t(isOffline ? 'error.brokenTitle' : 'error.lostChunkTitle')
  return (
    <StatusPage
      documentTitle={title}
      caption="503"
      title={title}
      text={t(isOffline ? 'error.network' : 'error.lostChunkText')}
      action={<ReloadButton />}
    />
  )
}

function ReloadButton() {
  const { t } = useTranslation()
  return <Button onClick={() => location.reload()}>{t('reload')}</Button>
}
