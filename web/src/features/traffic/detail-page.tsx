import { Button, TextInput } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useServerNow } from '@/lib/now'
import { calendarDay } from '@/lib/time'
import { ButtonLink } from '@/ui/button-link'
import { PageHeader } from '@/ui/page-header'
import { Log } from './components/log'
import { NodeSelect } from './components/node-select'
import { dateOf } from './days'
import classes from './traffic.module.css'
import { useZone } from './use-zone'

const route = getRouteApi('/user/subscribe-log-detail')

/** Every row of the user's log: what was moved on a node in an hour, at a rate. */
export function DetailPage() {
  const { t } = useTranslation('traffic')
  const zone = useZone()
  return (
    <>
      <PageHeader
        title={t('detail.title')}
        about={t('detail.about', { zone })}
        action={
          <ButtonLink variant="default" to="/user/subscribe-log-chart">
            {t('toChart')}
          </ButtonLink>
        }
      />
      <Filters zone={zone} />
      <Log zone={zone} />
    </>
  )
}

function Filters({ zone }: { zone: string }) {
  const { t } = useTranslation('traffic')
  const { day, node } = route.useSearch()
  const navigate = route.useNavigate()
  const today = dateOf(calendarDay(useServerNow(), zone))
  const change = (part: { day?: string | undefined; node?: number | undefined }) =>
    void navigate({
      search: (search) => ({ ...search, ...part }),
      replace: true,
      resetScroll: false,
    })
  return (
    <div className={classes.filters}>
      <TextInput
        type="date"
        size="sm"
        aria-label={t('day')}
        max={today}
        value={day ?? ''}
        onChange={({ currentTarget: { value } }) => change({ day: value || undefined })}
      />
      <NodeSelect value={node} onChange={(chosen) => change({ node: chosen })} />
      {(day !== undefined || node !== undefined) && (
        <Button
          variant="subtle"
          size="sm"
          onClick={() => change({ day: undefined, node: undefined })}
        >
          {t('detail.all')}
        </Button>
      )}
    </div>
  )
}
