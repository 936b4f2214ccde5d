import { useTranslation } from 'react-i18next'
import { OwnBan, useIsBanned } from '@/ui/ban-notice'
import { PageHeader } from '@/ui/page-header'
import { RedeemForm } from './components/redeem-form'
import { RedemptionHistory } from './components/redemption-history'
import classes from './components/redeemed.module.css'

/** Redeems a cd-key and lists earlier ones. */
export function CdKeyPage() {
  const { t } = useTranslation('wallet')
  const isBanned = useIsBanned()
  return (
    <>
      <PageHeader title={t('cdKey.title')} about={t('cdKey.about')} />
      <div className={classes.page}>
        {isBanned ? <OwnBan /> : <RedeemForm />}
        <RedemptionHistory />
      </div>
    </>
  )
}
