import { Switch } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { RenewalItem } from '@/lib/api/gen/types.gen'
import { problemText } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'
import { useAutoRenew } from '../use-auto-renew'

/** The switch of a service's automatic renewal. What is no longer sold can only be turned off. */
export function AutoRenew(props: {
  serviceId: number
  name: string
  isOn: boolean
  renewal: RenewalItem | undefined
}) {
  const { t } = useTranslation('service')
  const { t: common } = useTranslation()
  const { set, isPending, problem } = useAutoRenew(props.serviceId)
  const cannot = props.renewal?.price === null && !props.isOn
  return (
    <>
      <Switch
        label={t('autoRenew')}
        aria-label={t('autoRenewOf', { name: props.name })}
        checked={props.isOn}
        disabled={isPending || cannot}
        onChange={(event) => set(event.currentTarget.checked)}
      />
      <FormError message={problem ? problemText(problem, common) : undefined} />
    </>
  )
}
