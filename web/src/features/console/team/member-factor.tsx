import { useTranslation } from 'react-i18next'
import type { StaffMember } from '@/lib/api/gen/staff/types.gen'
import { StatusDot } from '@/ui/status-dot'

/** What protects the account of a member beside the password, and whether a ban runs. */
export function MemberFactor({ member }: { member: StaffMember }) {
  const { t } = useTranslation('console/team')
  if (member.is_banned) return <StatusDot tone="error">{t('member.banned')}</StatusDot>
  const factors = [
    ...(member.authenticator ? [t('member.authenticator')] : []),
    ...(member.passkeys > 0 ? [t('member.passkeys', { count: member.passkeys })] : []),
  ]
  if (factors.length === 0) return <StatusDot tone="warning">{t('member.noFactor')}</StatusDot>
  return <StatusDot tone="success">{factors.join(', ')}</StatusDot>
}
