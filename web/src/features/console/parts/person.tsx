import { TextLink } from '@/ui/text-link'
import { Email } from './email'

/** A user whom something belongs to, leading to the user; `user` is none where nobody is known. */
export function Person({ user }: { user: { id: number; email?: string } | null | undefined }) {
  if (!user) return '—'
  return (
    <TextLink to="/admin/users/$id" params={{ id: String(user.id) }} underline="hover">
      {user.email ? <Email address={user.email} /> : `#${user.id}`}
    </TextLink>
  )
}

/** A member of staff as rows name who made, decided or changed them: the id, and the address beside it. */
export function Maker(props: {
  id: number | null
  email: string
  /** What is shown where the id names nobody. */
  none?: string
}) {
  const { id, email, none } = props
  return id === null && none ? none : <Person user={id === null ? null : { id, email }} />
}
