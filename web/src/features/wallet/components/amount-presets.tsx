import { Chip } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from './recharge.module.css'

/** Common amounts as chips. */
export function AmountPresets(props: {
  amounts: readonly string[]
  value: string
  show: (amount: string) => string
  onChange: (amount: string) => void
}) {
  const { t } = useTranslation('wallet')
  return (
    <Chip.Group value={props.value} onChange={props.onChange}>
      <div role="group" aria-label={t('new.presets')} className={classes.presets}>
        {props.amounts.map((amount) => (
          <Chip
            key={amount}
            name="preset"
            value={amount}
            size="lg"
            radius="md"
            variant="outline"
            icon={null}
          >
            {props.show(amount)}
          </Chip>
        ))}
      </div>
    </Chip.Group>
  )
}
