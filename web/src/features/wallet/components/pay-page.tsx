import { Button, Skeleton, Text } from '@mantine/core'
import { ExternalLink } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import type { RechargeRecord } from '@/lib/api/gen/types.gen'
import { lazyPart } from '@/lib/lazy-part'
import { CopyButton } from '@/ui/copy-button'
import classes from './recharge.module.css'

const Qr = lazyPart(() => import('@/ui/qr'), 'Qr')

/** The gateway's way to pay, or a retry if the gateway could not be reached. */
export function PayPage(props: {
  recharge: RechargeRecord
  isAsking: boolean
  onRetry: () => void
}) {
  const { t } = useTranslation('wallet')
  const { pay_page: page, trade_no: tradeNo } = props.recharge
  if (!page) return <GatewayDown isAsking={props.isAsking} onRetry={props.onRetry} />
  if (page.kind === 'qrcode') return <ScanToPay url={page.url} />
  if (page.kind === 'text') return <Instructions text={page.text ?? ''} tradeNo={tradeNo} />
  return (
    <Button
      component="a"
      href={page.url}
      size="md"
      fullWidth
      rightSection={<ExternalLink size={16} strokeWidth={1.75} aria-hidden="true" />}
    >
      {t('pay.open')}
    </Button>
  )
}

function GatewayDown(props: { isAsking: boolean; onRetry: () => void }) {
  const { t } = useTranslation('wallet')
  const { t: common } = useTranslation()
  return (
    <div className={classes.scan}>
      <Text role="alert">{t('pay.down')}</Text>
      <Button variant="default" loading={props.isAsking} onClick={props.onRetry}>
        {common('retry')}
      </Button>
    </div>
  )
}

function ScanToPay({ url }: { url: string }) {
  const { t } = useTranslation('wallet')
  return (
    <div className={classes.scan}>
      <Suspense fallback={<Skeleton height={240} width={240} />}>
        <Qr text={url} label={t('pay.qr')} />
      </Suspense>
      <Text c="dimmed">{t('pay.scan')}</Text>
      <Button component="a" href={url} variant="default" hiddenFrom="sm" fullWidth>
        {t('pay.openApp')}
      </Button>
    </div>
  )
}

/** The operator's instructions and the number that identifies the payment. */
function Instructions({ text, tradeNo }: { text: string; tradeNo: string }) {
  const { t } = useTranslation('wallet')
  return (
    <div className={classes.scan}>
      <p className={classes.instructions}>{text}</p>
      <p className={classes.label}>
        {t('pay.tradeNo')} <b className={classes.code}>{tradeNo}</b>
      </p>
      <CopyButton size="sm" text={tradeNo} name={t('pay.tradeNo')} />
    </div>
  )
}
