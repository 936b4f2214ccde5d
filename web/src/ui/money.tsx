import { useTranslation } from 'react-i18next'
import { moneyParts } from '@/lib/money'
import classes from './figure.module.css'

/** An amount of the API with its currency; `size="figure"` is the largest thing on a card. */
export function Money(props: {
  amount: string
  currency: string
  size?: 'text' | 'figure'
  isSigned?: boolean
}) {
  const { i18n } = useTranslation()
  const sign = props.isSigned && Number(props.amount) > 0 ? '+' : ''
  const parts = moneyParts(props.amount, props.currency, i18n.language)
  if (props.size !== 'figure')
    return <span className={classes.text}>{sign + parts.map((part) => part.value).join('')}</span>
  return (
    <span className={classes.figure}>
      {sign}
      {parts.map(({ isSmall, value }, index) => (
        <span key={index} className={isSmall ? classes.currency : undefined}>
          {value}
        </span>
      ))}
    </span>
  )
}
