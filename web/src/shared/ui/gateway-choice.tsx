import { Skeleton } from '@mantine/core'
import { Check } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { useGateways } from '../lib/gateways'
import classes from './gateway-choice.module.css'
import { Loaded } from './loaded'

/** The ways to pay, one chosen. */
export function GatewayChoice({ query, chosen, choose }: ReturnType<typeof useGateways>) {
  const { t } = useTranslation()
  return (
    <Loaded query={query} skeleton={<Skeleton height={52} />}>
      {(list) =>
        list.length === 0 ? (
          <p className={classes.none}>{t('pay.noGateways')}</p>
        ) : (
          <fieldset className={classes.group}>
            <legend className={classes.legend}>{t('pay.with')}</legend>
            {list.map(({ name, title }) => (
              <label key={name} className={classes.gateway} data-chosen={name === chosen}>
                <input
                  type="radio"
                  name="gateway"
                  value={name}
                  className={classes.radio}
                  checked={name === chosen}
                  onChange={() => choose(name)}
                />
                <span className={classes.badge} aria-hidden="true">
                  {title.charAt(0)}
                </span>
                <span className={classes.title}>{title}</span>
                {name === chosen && (
                  <Check size={18} strokeWidth={2} aria-hidden="true" className={classes.check} />
                )}
              </label>
            ))}
          </fieldset>
        )
      }
    </Loaded>
  )
}
