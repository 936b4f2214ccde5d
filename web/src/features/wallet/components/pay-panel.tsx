import { Button, Loader, Text } from '@mantine/core'
import { ExternalLink } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { RechargeRecord } from '@/api/gen/types.gen'
import { useNow } from '@/shared/lib/now'
import { formatCountdown } from '@/shared/lib/time'
import { Money } from '@/shared/ui/money'
import { Qr } from '@/shared/ui/qr'
import { TextLink } from '@/shared/ui/text-link'
import { CancelOrder } from './cancel-order'
import classes from './recharge.module.css'

/** Where to pay: a code to scan, or the gateway's page; how long there is time; that we are watching. */
export function PayPanel({ recharge }: { recharge: RechargeRecord }) {
  const { t } = useTranslation('wallet')
  const now = useNow(1000)
  const { pay_page: payPage } = recharge
  return (
    <div className={classes.pay}>
      <div>
        <p className={classes.label}>{recharge.order_no ? t('pay.forOrder') : t('pay.amount')}</p>
        <Money amount={recharge.money_amount} currency={recharge.currency} size="figure" />
      </div>
      {payPage?.kind === 'qrcode' && <ScanToPay url={payPage.url} />}
      {payPage?.kind === 'url' && (
        <Button
          component="a"
          href={payPage.url}
          size="md"
          fullWidth
          rightSection={<ExternalLink size={16} strokeWidth={1.75} />}
        >
          {t('pay.open')}
        </Button>
      )}
      {!payPage && <Text c="dimmed">{t('pay.preparing')}</Text>}
      <p role="status" className={classes.watching}>
        <Loader size={16} aria-hidden="true" />
        {t('pay.watching')}
      </p>
      <p className={classes.label}>
        {t('pay.timeLeft')} <b>{formatCountdown(Date.parse(recharge.expires_at) - now)}</b>
      </p>
      {recharge.order_no ? (
        <CancelOrder orderNo={recharge.order_no} />
      ) : (
        <TextLink to="/user/wallet/recharge/new" search={{}}>
          {t('pay.other')}
        </TextLink>
      )}
    </div>
  )
}

function ScanToPay({ url }: { url: string }) {
  const { t } = useTranslation('wallet')
  return (
    <div className={classes.scan}>
      <Qr text={url} label={t('pay.qr')} />
      <Text c="dimmed">{t('pay.scan')}</Text>
      <Button component="a" href={url} variant="default" hiddenFrom="sm" fullWidth>
        {t('pay.openApp')}
      </Button>
    </div>
  )
}
