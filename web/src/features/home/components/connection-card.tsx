import { Card, Progress } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { linkTokenGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { Access, BanResult } from '@/lib/api/gen/types.gen'
import { lazyPart } from '@/lib/lazy-part'
import { daysUntil, lastMoment } from '@/lib/time'
import { useNow } from '@/lib/now'
import { BanNotice } from '@/ui/ban-notice'
import { Bytes } from '@/ui/bytes'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Moment } from '@/ui/moment'
import { connectionState, firstStep, noticeOf, usedPercent } from '../model'
import { hasNoService } from '../queries'
import classes from './connection-card.module.css'
import { ConnectionState, NodesNotice, useNodesOf } from './connection-state'
import { TextLink } from '@/ui/text-link'
import { FirstSteps } from './first-steps'
import { LinkPanel } from './link-panel'
import { NoticeStrip } from './notice-strip'

const WaitingOrder = lazyPart(() => import('./waiting-order'), 'WaitingOrder')

/** The one thing people come for: does it work, what is left, and the way to connect a device. */
export function ConnectionCard({ access, ban }: { access: Access; ban: BanResult | null }) {
  const { t } = useTranslation('home')
  const now = useNow()
  const notice = noticeOf(access, now)
  const known = useNodesOf(access)
  const isDown = connectionState(access, known.nodes) === 'nodesOffline'
  const link = useQuery(linkTokenGetOptions())
  const step = firstStep(access, known.nodes, link.data?.last_fetch_at)
  const renewId = notice?.action === 'renew' ? null : access.renew_service_id
  const quota = hasQuota(access) && <Quota {...{ access, now, renewId }} />
  return (
    <Card component="section" aria-label={t('connection')} className={classes.card}>
      <header className={classes.head}>
        <ConnectionState access={access} {...known} />
        {access.state === 'active' && <Devices access={access} />}
      </header>
      {access.state === 'banned' && <BanNotice ban={ban} />}
      <NodesNotice access={access} nodes={known.nodes} />
      {notice && <NoticeStrip notice={notice} renewId={access.renew_service_id} />}
      <Suspense>{hasNoService(access) && <WaitingOrder />}</Suspense>
      {!step && quota}
      {step && <FirstSteps step={step} />}
      {step !== 'buy' && access.state !== 'banned' && (
        <LinkPanel isQuiet={notice?.tone === 'error' || isDown} />
      )}
      {step && quota}
    </Card>
  )
}

const hasQuota = ({ state, quota_bytes: quota }: Access) =>
  (state === 'active' || state === 'exhausted') && quota !== 0

function Devices({ access: { online_devices: online, device_limit: limit } }: { access: Access }) {
  const { t } = useTranslation('home')
  return (
    <span className={classes.quiet}>
      {t(limit === null ? 'devices' : 'devicesOf', { count: online, limit })}
    </span>
  )
}

function Quota({ access, now, renewId }: { access: Access; now: number; renewId: number | null }) {
  const { t } = useTranslation('home')
  const percent = usedPercent(access)
  const { quota_bytes: quota, remaining_bytes: remaining, resets_at: resets } = access
  return (
    <div className={classes.quota}>
      <p className={classes.label}>{remaining === null ? t('used') : t('remaining')}</p>
      <p className={classes.amount}>
        <Bytes bytes={remaining ?? access.used_bytes} size="figure" />
        <span className={classes.quiet}>
          {quota === null ? (
            t('unlimited')
          ) : (
            <>
              {t('of')} <Bytes bytes={quota} />
            </>
          )}
        </span>
      </p>
      {percent !== undefined && (
        <Progress
          value={percent}
          size={6}
          color={percent < 80 ? 'tide' : percent < 95 ? 'orange' : 'red'}
          aria-label={t('usedPercent', { percent })}
          className={classes.bar}
        />
      )}
      <Facts>
        {percent !== undefined && (
          <Fact name={t('used')}>
            <Bytes bytes={access.used_bytes} /> · {percent}%
          </Fact>
        )}
        {resets && (
          <Fact name={t('resets')}>
            {t('inDays', { count: daysUntil(resets, now) })} · <Moment time={resets} />
          </Fact>
        )}
        {access.expires_at && (
          <Fact name={t('expires')}>
            {t('inDays', { count: daysUntil(lastMoment(access.expires_at), now) })} ·{' '}
            <Moment time={access.expires_at} isEnd />{' '}
            {renewId !== null && (
              <TextLink
                to="/user/services/buy"
                search={{ renew: renewId }}
                className={classes.renew}
              >
                {t('action.renew')}
              </TextLink>
            )}
          </Fact>
        )}
      </Facts>
    </div>
  )
}
