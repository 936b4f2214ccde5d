import { Skeleton } from '@mantine/core'
import { Check } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { GatewayItem } from '@/lib/api/gen/types.gen'
import { useCurrency } from '@/lib/currency'
import type { useGateways } from '@/lib/gateways'
import { formatMoney, toMinor } from '@/lib/money'
import classes from './gateway-choice.module.css'
import { GatewayIcon } from './gateway-icon'
import { Loaded } from './loaded'

/** The ways to pay, one chosen; with what they take for it, where that was asked. */
export function GatewayChoice({ query, isAsked, chosen, choose }: ReturnType<typeof useGateways>) {
  const { t } = useTranslation()
  return (
    <Loaded query={query} skeleton={<WaysOutline />}>
      {(list) =>
        list.length === 0 ? (
          <p className={classes.none}>{t('pay.noGateways')}</p>
        ) : (
          <fieldset className={classes.group}>
            <legend className={classes.legend}>{t('pay.with')}</legend>
            {list.map((gateway) => (
              <Gateway
                key={gateway.name}
                gateway={gateway}
                isChosen={gateway.name === chosen}
                isUnfit={isAsked && !gateway.charge}
                onChoose={() => choose(gateway.name)}
              />
            ))}
          </fieldset>
        )
      }
    </Loaded>
  )
}

/** One way, which most sites have. */
function WaysOutline() {
  const { t } = useTranslation()
  return (
    <fieldset className={classes.group}>
      <legend className={classes.legend}>{t('pay.with')}</legend>
      <Skeleton height={52} />
    </fieldset>
  )
}

function Gateway(props: {
  gateway: GatewayItem
  isChosen: boolean
  isUnfit: boolean
  onChoose: () => void
}) {
  const { name, title, icon } = props.gateway
  return (
    <label className={classes.gateway} data-chosen={props.isChosen} data-unfit={props.isUnfit}>
      <input
        type="radio"
        name="gateway"
        value={name}
        className={classes.radio}
        checked={props.isChosen}
        disabled={props.isUnfit}
        aria-label={title}
        aria-describedby={`gateway-${name}`}
        onChange={props.onChoose}
      />
      <GatewayIcon name={icon} />
      <span className={classes.title}>
        {title}
        <span id={`gateway-${name}`} className={classes.note}>
          <Note {...props} />
        </span>
      </span>
      {props.isChosen && (
        <Check size={18} strokeWidth={2} aria-hidden="true" className={classes.check} />
      )}
    </label>
  )
}

/** The fee of what is to be paid, or between which amounts the gateway takes it. */
function Note({ gateway, isUnfit }: { gateway: GatewayItem; isUnfit: boolean }) {
  const { t, i18n } = useTranslation()
  const currency = useCurrency()
  const show = (amount: string) => formatMoney(amount, currency, i18n.language)
  if (isUnfit) {
    return t('pay.between', { min: show(gateway.minimum), max: show(gateway.maximum) })
  }
  const fee = gateway.charge?.fee
  return fee !== undefined && toMinor(fee) > 0 ? t('pay.fee', { fee: show(fee) }) : null
}
