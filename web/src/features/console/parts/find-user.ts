import { staffUsers } from '@/lib/api/gen/staff/sdk.gen'

/** The user with this e-mail address or number; undefined where there is none. */
export async function findUser(typed: string, signal?: AbortSignal) {
  const asked = typed.trim().replace(/^#/, '').toLowerCase()
  const { data } = await staffUsers({
    query: { q: asked, limit: 20 },
    ...(signal && { signal }),
    throwOnError: true,
  })
  return data.rows.find(({ id, email }) => email === asked || String(id) === asked)
}
