import { useQuery } from '@tanstack/react-query'
import { lazyPart } from '@/lib/lazy-part'
import { Skeleton, UnstyledButton } from '@mantine/core'
import { Eye, EyeOff, QrCode } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { linkTokenGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { Button } from '@mantine/core'
import { CopyButton } from '@/ui/copy-button'
import { Loaded } from '@/ui/loaded'
import { GuideLink } from '@/ui/connect/guide-link'
import { ImportButton } from '@/ui/connect/import-button'
import { maskLink } from '../mask-link'
import classes from './link-panel.module.css'

const AddressSelect = lazyPart(() => import('./address-select'), 'AddressSelect')
const QrDialog = lazyPart(() => import('./qr-dialog'), 'QrDialog')
const ResetDialog = lazyPart(() => import('./reset-dialog'), 'ResetDialog')

/** The subscription link and the ways to bring it into a client; `isQuiet` where something else is the thing to do. */
export function LinkPanel({ isQuiet }: { isQuiet: boolean }) {
  const { t } = useTranslation('home')
  const link = useQuery(linkTokenGetOptions())
  return (
    <div className={classes.panel}>
      <div className={classes.head}>
        <h2 className={classes.title}>{t('connect')}</h2>
        <GuideLink />
      </div>
      <Loaded query={link} skeleton={<PanelSkeleton />}>
        {({ url, urls }) => <Panel first={url} urls={urls} isQuiet={isQuiet} />}
      </Loaded>
    </div>
  )
}

function Panel({ first, urls, isQuiet }: { first: string; urls: string[]; isQuiet: boolean }) {
  const { t } = useTranslation('home')
  const [host, setHost] = useState('') // which stays when the link is reset
  const url = urls.find((each) => new URL(each).host === host) ?? first
  const [dialog, setDialog] = useState<'qr' | 'reset'>()
  const close = () => setDialog(undefined)
  return (
    <>
      <LinkField url={url} />
      <div className={classes.actions}>
        <ImportButton
          url={url}
          isQuiet={isQuiet}
          onShowQr={() => setDialog('qr')}
          onReset={() => setDialog('reset')}
        />
        <CopyButton text={url} name={t('link')} className={classes.small} />
        <Button
          variant="default"
          leftSection={<QrCode size={16} strokeWidth={1.75} />}
          className={classes.small}
          onClick={() => setDialog('qr')}
        >
          {t('qr')}
        </Button>
        <Suspense>
          {urls.length > 1 && (
            <AddressSelect urls={urls} url={url} className={classes.address} onChange={setHost} />
          )}
        </Suspense>
      </div>
      <Suspense>
        {dialog === 'qr' && <QrDialog url={url} onClose={close} />}
        {dialog === 'reset' && <ResetDialog onClose={close} />}
      </Suspense>
    </>
  )
}

function LinkField({ url }: { url: string }) {
  const { t } = useTranslation('home')
  const { t: common } = useTranslation()
  const [isShown, setShown] = useState(false)
  const Icon = isShown ? EyeOff : Eye
  const action = common(isShown ? 'hide' : 'show')
  return (
    <div className={classes.field}>
      <code className={classes.url} aria-label={t('link')}>
        {isShown ? url : maskLink(url)}
      </code>
      <UnstyledButton
        className={classes.eye}
        aria-label={action}
        title={action}
        onClick={() => setShown(!isShown)}
      >
        <Icon size={18} strokeWidth={1.75} />
      </UnstyledButton>
    </div>
  )
}

function PanelSkeleton() {
  return (
    <>
      <Skeleton height={42} />
      <Skeleton className={classes.loading} />
    </>
  )
}
