import type { AuditEntry } from '@/lib/api/gen/staff/types.gen'
import { TextLink } from '@/ui/text-link'
import type { RowLink } from '../parts/resource'

/** The pages of the kinds of objects that have one. */
const pages: Record<string, RowLink['to']> = {
  user: '/admin/users/$id',
  node: '/admin/nodes/$id',
  plan: '/admin/plans/$id',
  coupon: '/admin/coupons/$id',
  gateway: '/admin/gateways/$id',
  announcement: '/admin/announcements/$id',
  guide: '/admin/guides/$id',
  ticket: '/admin/tickets/$id',
  cd_key_batch: '/admin/cd-keys/$id',
  share_account: '/admin/share-accounts/$id',
  bulk_job: '/admin/bulk-jobs/$id',
  staff_role: '/admin/roles/$id',
}

/** What was changed, leading to its page where it has one. */
export function AuditObject({ entry }: { entry: AuditEntry }) {
  const name = entry.object_id ? `${entry.object} ${entry.object_id}` : entry.object
  const to = pages[entry.object]
  if (to === undefined || !entry.object_id) return name
  return (
    <TextLink to={to} params={{ id: entry.object_id } as never} underline="hover">
      {name}
    </TextLink>
  )
}
