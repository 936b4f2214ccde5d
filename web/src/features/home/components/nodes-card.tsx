import { Card, Skeleton, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { nodesListOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { NodesListResponse } from '@/lib/api/gen/types.gen'
import { countNodeStates } from '@/ui/node-state'
import { Loaded } from '@/ui/loaded'
import { NodeStateDot } from '@/ui/node-state-dot'
import { TextLink } from '@/ui/text-link'
import classes from './side-card.module.css'

const REFETCH_MS = 60_000

/** The nodes' health in one glance. */
export function NodesCard() {
  const { t } = useTranslation('home')
  const nodes = useQuery({ ...nodesListOptions(), refetchInterval: REFETCH_MS })
  return (
    <Card component="section" aria-labelledby="nodes-title" className={classes.card}>
      <header className={classes.head}>
        <Title order={2} size="h3" id="nodes-title">
          {t('nodes.title')}
        </Title>
        <Text size="sm">
          <TextLink to="/user/nodes" underline="hover">
            {t('nodes.all')}
          </TextLink>
        </Text>
      </header>
      <Loaded query={nodes} skeleton={<Skeleton height={96} />}>
        {(list) => <Counts list={list} />}
      </Loaded>
    </Card>
  )
}

function Counts({ list: { available_nodes: nodes } }: { list: NodesListResponse }) {
  const { t, i18n } = useTranslation('home')
  const format = new Intl.NumberFormat(i18n.language)
  if (nodes.length === 0) return <Text c="dimmed">{t('nodes.empty')}</Text>
  return (
    <ul className={classes.list}>
      {countNodeStates(nodes).map(({ state, count }) => (
        <li key={state}>
          <NodeStateDot state={state} />
          <span className={classes.count}>{format.format(count)}</span>
        </li>
      ))}
    </ul>
  )
}
