import { Badge, Button, Card, Skeleton } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Laptop, type LucideIcon, MonitorSmartphone, Smartphone, Tablet } from 'lucide-react'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  accountSessionEndMutation,
  accountSessionsEndOthersMutation,
  accountSessionsOptions,
  accountSessionsQueryKey,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { SessionResult } from '@/lib/api/gen/types.gen'
import { Confirm } from '@/ui/confirm'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { deviceName } from '../origin'
import { OriginText } from './origin-text'
import classes from './sessions.module.css'

/** Where one is signed in, this device first; each other one can be signed out. */
export function Sessions() {
  const sessions = useQuery(accountSessionsOptions())
  return (
    <Loaded query={sessions} skeleton={<Skeleton height={180} radius="lg" />} hasCards>
      {(list) => <List sessions={list} />}
    </Loaded>
  )
}

function List({ sessions }: { sessions: readonly SessionResult[] }) {
  const { t } = useTranslation('security')
  const queryClient = useQueryClient()
  const [leaving, setLeaving] = useState<SessionResult | 'others'>()
  const settled = {
    onSettled: () => queryClient.invalidateQueries({ queryKey: accountSessionsQueryKey() }),
  }
  const end = useMutation({ ...accountSessionEndMutation(), ...settled })
  const endOthers = useMutation({ ...accountSessionsEndOthersMutation(), ...settled })
  const one = leaving === 'others' ? undefined : leaving

  return (
    <Card padding={0}>
      <ul className={classes.list}>
        {sessions.map((session) => (
          <Session key={session.session_id} session={session} onEnd={() => setLeaving(session)} />
        ))}
      </ul>
      {sessions.length > 1 && (
        <div className={classes.foot}>
          <Button variant="default" size="sm" onClick={() => setLeaving('others')}>
            {t('sessions.endOthers')}
          </Button>
        </div>
      )}
      <Confirm
        opened={leaving !== undefined}
        title={one ? t('sessions.endTitle', { device: nameOf(one, t) }) : t('sessions.endOthers')}
        consequence={one ? t('sessions.endText') : t('sessions.endOthersText')}
        action={t('sessions.end')}
        onConfirm={() =>
          one
            ? end.mutateAsync({ path: { session_id: one.session_id } })
            : endOthers.mutateAsync({})
        }
        onClose={() => setLeaving(undefined)}
      />
    </Card>
  )
}

const nameOf = (session: SessionResult, t: TFunction<'security'>) =>
  session.is_by_staff ? t('sessions.staff') : deviceName(session, t)

const kindIcons: Record<SessionResult['device_kind'], LucideIcon> = {
  '': MonitorSmartphone,
  computer: Laptop,
  phone: Smartphone,
  tablet: Tablet,
}

function Session({ session, onEnd }: { session: SessionResult; onEnd: () => void }) {
  const { t } = useTranslation('security')
  const device = nameOf(session, t)
  const Icon = kindIcons[session.device_kind]
  return (
    <li className={classes.session}>
      <Icon size={20} strokeWidth={1.75} aria-hidden="true" className={classes.icon} />
      <div className={classes.words}>
        <div className={classes.device}>
          {device}
          {session.is_current && (
            <Badge variant="light" tt="none">
              {t('sessions.current')}
            </Badge>
          )}
        </div>
        <p className={classes.text}>
          {session.is_by_staff ? (
            t('sessions.staffText')
          ) : (
            <OriginText ip={session.ip_address} area={session.area} />
          )}
        </p>
        <p className={classes.text}>
          {t('sessions.seen')}
          <Moment time={session.seen_at} withTime />
        </p>
      </div>
      {!session.is_current && (
        <Button
          variant="subtle"
          color="red"
          size="sm"
          aria-label={t('sessions.endTitle', { device })}
          onClick={onEnd}
        >
          {t('sessions.end')}
        </Button>
      )}
    </li>
  )
}
