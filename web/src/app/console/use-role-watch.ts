import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { mayOf, roleQuery } from '@/features/console/parts/permissions'
import { isRefusal, onRefusal } from '@/features/console/parts/refusals'
import type { ApiError } from '@/lib/api/errors'
import { userGetMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { mayOpen } from './find-page'
import { accessOf, dropAccess, followRole } from './role-change'

/** A change of the role is seen at the latest then, while the page is in sight; its refusals show it at once. */
const READ_EVERY_MS = 60_000

/**
 * Follows the member's role: reads it again after each refusal and every minute. After a change the page shows, and the
 * browser holds, nothing that the member may not read any more. Gives the refusal of one who is no member any more.
 */
export function useRoleWatch(): ApiError | undefined {
  const { data: role, error } = useQuery({ ...roleQuery(), refetchInterval: READ_EVERY_MS })
  const queryClient = useQueryClient()
  const router = useRouter()
  const [refusal, setRefusal] = useState<ApiError>()
  const seen = useRef(role)

  useEffect(() => {
    const { queryKey } = roleQuery()
    return onRefusal(() => {
      // The refusal may be that of this very call.
      void queryClient.refetchQueries({ queryKey }, { cancelRefetch: false })
    })
  }, [queryClient])

  useEffect(() => {
    const before = seen.current
    if (role) seen.current = role
    if (!role || !before || accessOf(role) === accessOf(before)) return
    const mayStay = mayOpen(router.state.location.pathname, mayOf(role))
    void followRole(queryClient, mayStay ? undefined : () => router.invalidate())
  }, [role, queryClient, router])

  useEffect(() => {
    if (!isRefusal(error)) return
    const leave = async () => {
      const me = await queryClient.fetchQuery({ ...userGetMeOptions(), staleTime: 0 })
      if (!me.staff_role) return setRefusal(error)
      // The route leads to the page that says from where, or with what, they may act.
      dropAccess(queryClient)
      await router.invalidate()
    }
    // Without an answer it is tried again with the next reading of the role.
    leave().catch(() => undefined)
  }, [error, queryClient, router])

  return refusal
}
