import { useTranslation } from 'react-i18next'
import type { AuditEntry } from '@/lib/api/gen/staff/types.gen'
import { Person } from '../parts/person'

/** Who acted: a member, a member's API token, or the operator at the command line. */
export function AuditActor({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation('console/trust')
  const { actor, actor_id: id, actor_email: email, actor_name: name } = entry
  const person = id === null ? null : <Person user={{ id, email }} />
  if (actor === 'member') return person
  return (
    <>
      {t(actor)} {name} {person}
    </>
  )
}
