import { Drawer } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { dashboardGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { Access, NodeInfo } from '@/lib/api/gen/types.gen'
import { StateOfNode } from '@/ui/node-state-dot'
import { Fact } from '@/ui/fact'
import { Notice } from '@/ui/notice'
import { NoticeLink } from '@/ui/notice-link'
import { countryName, protocolName, rateText, spansOf, wordsOf } from '../model'
import { useIsNarrow } from '../use-filter'
import { useClassName } from '../use-class-name'
import { Load } from './figures'
import { Flag } from './flag'
import classes from './node-drawer.module.css'
import { NodeLinks } from './node-links'
import { Help } from './no-nodes'

/** One node next to the list, on a phone from below: what it is, whether the user may use it, and how to add it alone. */
export function NodeDrawer(props: {
  node: NodeInfo | undefined
  isLocked: boolean
  opened: boolean
  onClose: () => void
  onClosed: () => void
}) {
  const { t } = useTranslation('node')
  const { t: common } = useTranslation()
  const isNarrow = useIsNarrow()
  const { node } = props
  return (
    <Drawer
      opened={props.opened}
      onClose={props.onClose}
      onExitTransitionEnd={props.onClosed}
      returnFocus={false}
      position={isNarrow ? 'bottom' : 'right'}
      size={isNarrow ? 'auto' : 460}
      title={node ? <Name node={node} /> : t('drawer.gone')}
      closeButtonProps={{ 'aria-label': common('close') }}
      classNames={{ content: classes.content, body: classes.body }}
      data-narrow={isNarrow || undefined}
    >
      {node ? <Body node={node} isLocked={props.isLocked} /> : t('drawer.goneText')}
    </Drawer>
  )
}

const Name = ({ node }: { node: NodeInfo }) => (
  <span className={classes.name}>
    <Flag code={node.country_code} />
    {node.node_name}
  </span>
)

function Body({ node, isLocked }: { node: NodeInfo; isLocked: boolean }) {
  const access = useQuery(dashboardGetOptions()).data?.access
  return (
    <>
      {isLocked && access && <WhyLocked node={node} access={access} />}
      <Facts node={node} access={access} />
      {!isLocked && <NodeLinks node={node} />}
    </>
  )
}

/** Why the node is not open to the user, and the one thing that opens it. */
function WhyLocked({ node, access }: { node: NodeInfo; access: Access }) {
  const { t } = useTranslation('node')
  const nameOf = useClassName()
  if (access.state !== 'active') {
    return (
      <Notice tone="warning" action={<Help state={access.state} />}>
        {t(`empty.${access.state}`)}
      </Notice>
    )
  }
  return (
    <NoticeLink
      tone="warning"
      text={t('drawer.needsClass', { needed: nameOf(node), own: nameOf(access) })}
      to="/user/services/buy"
    >
      {t('drawer.seePlans')}
    </NoticeLink>
  )
}

function Facts({ node, access }: { node: NodeInfo; access: Access | undefined }) {
  const { t, i18n } = useTranslation('node')
  const spans = spansOf(node.hour_rates)
  const rate = (value: string) => rateText(value, i18n.language)
  return (
    <dl className={classes.facts}>
      <Fact className={classes.fact} name={t('column.state')}>
        <StateOfNode node={node} />
      </Fact>
      <Fact className={classes.fact} name={t('drawer.load')}>
        {node.status === 'offline' ? '—' : <Load percent={node.load} />}
      </Fact>
      <Fact className={classes.fact} name={t('drawer.rate')}>
        {rate(node.rate)}
      </Fact>
      {spans.length > 0 && (
        <Fact className={classes.fact} name={t('drawer.hours')}>
          {spans.map(({ from, to, rate: then }) => (
            <span key={from} className={classes.hours}>
              {`${t('hours', { from, to })} ${rate(then)}`}
            </span>
          ))}
        </Fact>
      )}
      <Fact className={classes.fact} name={t('drawer.protocol')}>
        {wordsOf(node).map(protocolName).join(' · ')}
      </Fact>
      <Fact className={classes.fact} name={t('drawer.region')}>
        {countryName(node.country_code, i18n.language) || t('unknown')}
      </Fact>
      {node.speed_mbps !== null && (
        <Fact className={classes.fact} name={t('drawer.speed')}>
          {t('drawer.mbps', { mbps: node.speed_mbps })}
        </Fact>
      )}
      <Fact className={classes.fact} name={t('drawer.class')}>
        <ClassNeeded node={node} access={access} />
      </Fact>
    </dl>
  )
}

function ClassNeeded({ node, access }: { node: NodeInfo; access: Access | undefined }) {
  const { t } = useTranslation('node')
  const nameOf = useClassName()
  const needed = nameOf(node)
  if (node.class === 0) return t('drawer.classOpen')
  return access ? t('drawer.classFor', { needed, own: nameOf(access) }) : needed
}
