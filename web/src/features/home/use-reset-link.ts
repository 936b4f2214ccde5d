import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '@/lib/api/errors'
import { linkLogQueryKey, linkTokenGetQueryKey } from '@/lib/api/gen/@tanstack/react-query.gen'
import { linkTokenGet, linkTokenReset } from '@/lib/api/gen/sdk.gen'
import { newIdempotencyKey } from '@/lib/idempotency-key'

const isDone = (error: unknown) => error instanceof ApiError && error.code === 'already_received'

/**
 * Replaces the link, and with `withNodes` the passwords of nodes, once however often the call is sent until `begin` is
 * called. After a failure the link is read again: where no answer came it may have been replaced.
 */
export function useResetLink() {
  const queryClient = useQueryClient()
  const [key, setKey] = useState(newIdempotencyKey)
  const invalidateLog = () => queryClient.invalidateQueries({ queryKey: linkLogQueryKey() })
  const reset = useMutation({
    mutationFn: async (withNodes: boolean) => {
      try {
        const { data } = await linkTokenReset({
          query: { is_reset_ss_password: withNodes },
          headers: { 'Idempotency-Key': key },
          throwOnError: true,
        })
        return data
      } catch (error) {
        if (!isDone(error)) throw error
        const { data } = await linkTokenGet({ throwOnError: true })
        return data
      }
    },
    onSuccess: (link) => {
      queryClient.setQueryData(linkTokenGetQueryKey(), link)
      return invalidateLog()
    },
    // While there is no connection that takes long, and nobody waits for it.
    onError: () => {
      void queryClient.invalidateQueries({ queryKey: linkTokenGetQueryKey() })
      void invalidateLog()
    },
  })
  return { ...reset, begin: () => setKey(newIdempotencyKey()) }
}
