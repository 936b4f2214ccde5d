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
