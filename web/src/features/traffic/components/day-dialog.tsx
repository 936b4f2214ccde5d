import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { trafficNodesOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { NodeTraffic } from '@/lib/api/gen/types.gen'
import { Bytes } from '@/ui/bytes'
import { ButtonLink } from '@/ui/button-link'
import { Dialog } from '@/ui/dialog'
import { Loaded } from '@/ui/loaded'
import { boundsOfDay, dayOf } from '../days'
import { longDay } from '../names'
import { staleTime } from '../queries'
import classes from '../traffic.module.css'

/** What was moved on a day, by node. */
export function DayDialog(props: { date: string; zone: string; onClose: () => void }) {
  const { t, i18n } = useTranslation('traffic')
  const nodes = useQuery({
    ...trafficNodesOptions({ query: boundsOfDay(props.date, props.zone) }),
    staleTime,
  })
  return (
    <Dialog title={longDay(dayOf(props.date), i18n.language)} onClose={props.onClose}>
      <Loaded query={nodes} skeleton={<Skeleton height={160} />}>
        {(list) =>
          list.length === 0 ? <Text c="dimmed">{t('noHours')}</Text> : <NodeTable list={list} />
        }
      </Loaded>
      <ButtonLink
        variant="default"
        fullWidth
        mt="md"
        to="/user/subscribe-log-detail"
        search={{ day: props.date }}
      >
        {t('rowsOfDay')}
      </ButtonLink>
    </Dialog>
  )
}

function NodeTable({ list }: { list: readonly NodeTraffic[] }) {
  const { t } = useTranslation('traffic')
  return (
    <table className={classes.figures}>
      <thead>
        <tr>
          <th scope="col">{t('node')}</th>
          <th scope="col" data-align="end">
            {t('down')}
          </th>
          <th scope="col" data-align="end">
            {t('up')}
          </th>
          <th scope="col" data-align="end">
            {t('billed')}
          </th>
        </tr>
      </thead>
      <tbody>
        {list.map((node) => (
          <tr key={node.node_id}>
            <td>{node.node_name ?? t('nodeGone')}</td>
            <td data-align="end">
              <Bytes bytes={node.ss_rx_size} />
            </td>
            <td data-align="end">
              <Bytes bytes={node.ss_tx_size} />
            </td>
            <td data-align="end">
              <Bytes bytes={node.effective_traffic} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
