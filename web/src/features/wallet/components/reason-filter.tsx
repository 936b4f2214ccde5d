import { NativeSelect } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { movementReasons } from '../reasons'

const route = getRouteApi('/user/wallet/')

/** Filters the statement by reason. The choice is a search parameter. */
export function ReasonFilter() {
  const { t } = useTranslation('wallet')
  const { reason } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <NativeSelect
      aria-label={t('filter')}
      value={reason ?? ''}
      onChange={({ currentTarget: { value } }) =>
        void navigate({
          search: { reason: movementReasons.find((known) => known === value) },
          replace: true,
          resetScroll: false,
        })
      }
      data={[
        { value: '', label: t('allReasons') },
        ...movementReasons.map((value) => ({ value, label: t(`reason.${value}`) })),
      ]}
    />
  )
}
