import { Group, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { KeyRound, ShieldAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffSigningKeyRotate } from '@/lib/api/gen/staff/sdk.gen'
import type { SigningKey as Key } from '@/lib/api/gen/staff/types.gen'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import type { Action } from '../parts/action'
import { ActionButton } from '../parts/action-runner'
import { Section } from '../parts/section'
import { signingKeyQuery } from './resources'

/** The key that signs sessions, those before it that are still honoured, and its replacement. */
export function SigningKey() {
  const { t } = useTranslation('console/system')
  return (
    <Section title={t('signingKey.title')}>
      <Text mb="md">{t('signingKey.about')}</Text>
      <Loaded query={useQuery(signingKeyQuery())} skeleton={<Skeleton height={64} />}>
        {(keys) => <Keys keys={keys} />}
      </Loaded>
      <Group mt="md" gap="sm">
        <ActionButton subject={undefined} action={useRotation()} />
        <ActionButton subject={undefined} action={useRevocation()} />
      </Group>
    </Section>
  )
}

function Keys({ keys }: { keys: readonly Key[] }) {
  const { t } = useTranslation('console/system')
  const former = keys.filter(({ honoured_until: until }) => until !== null)
  return (
    <Facts>
      {keys
        .filter(({ honoured_until: until }) => until === null)
        .map(({ key_id: id, created_at: time }) => (
          <Fact key={id} name={t('signingKey.present')}>
            <code>{id}</code> · {t('signingKey.since')} <Moment time={time} withTime />
          </Fact>
        ))}
      <Fact name={t('signingKey.former')}>
        {former.length === 0 && t('signingKey.noFormer')}
        {former.map(({ key_id: id, honoured_until: time }) => (
          <div key={id}>
            <code>{id}</code>
            {time && (
              <>
                {' · '}
                <Moment time={time} withTime />
              </>
            )}
          </div>
        ))}
      </Fact>
    </Facts>
  )
}

function useRotation(): Action<undefined> {
  const { t } = useTranslation('console/system')
  return {
    key: 'rotate',
    icon: KeyRound,
    title: t('signingKey.rotate'),
    permission: 'signing_key.rotate',
    danger: 'C',
    effect: () => t('signingKey.rotateEffect'),
    run: () => staffSigningKeyRotate({ body: { revoke: false }, throwOnError: true }),
    done: () => t('signingKey.rotated'),
  }
}

/** Its caller is signed out with all others: the next call leads to the sign-in. */
function useRevocation(): Action<undefined> {
  const { t } = useTranslation('console/system')
  return {
    key: 'revoke',
    icon: ShieldAlert,
    title: t('signingKey.revoke'),
    permission: 'signing_key.rotate',
    danger: 'R',
    effect: () => t('signingKey.revokeEffect'),
    run: (_, { reason }) =>
      staffSigningKeyRotate({ body: { revoke: true, reason: String(reason) }, throwOnError: true }),
    done: () => t('signingKey.revoked'),
  }
}
