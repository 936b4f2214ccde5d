import { useTranslation } from 'react-i18next'
import type money from '@/locales/zh-CN/console/money.json'
import { StatusDot, type Tone } from '@/ui/status-dot'

type State = keyof (typeof money)['state']

const tones: Partial<Record<State, Tone>> = {
  pending: 'warning',
  open: 'warning',
  waiting: 'warning',
  refunding: 'info',
  paid: 'success',
  approved: 'success',
  granted: 'success',
  credited: 'success',
  alone: 'success',
  failed: 'error',
}

/** A state of anything about money, in words. */
export function MoneyState({ state }: { state: State }) {
  const { t } = useTranslation('console/money')
  return <StatusDot tone={tones[state] ?? 'neutral'}>{t(`state.${state}`)}</StatusDot>
}

/** The choices of a filter by state. */
export function useStateFilter(states: readonly State[], isSingle = false) {
  const { t } = useTranslation('console/money')
  return {
    key: 'state',
    title: t('column.state'),
    kind: 'choice' as const,
    isSingle,
    options: states.map((value) => ({ value, label: t(`state.${value}`) })),
  }
}
