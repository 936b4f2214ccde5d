import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { ApiError } from '@/lib/api/errors'
import { checkinGetOptions, checkinGetQueryKey } from '@/lib/api/gen/@tanstack/react-query.gen'
import { checkinPost } from '@/lib/api/gen/sdk.gen'
import type { CheckedIn } from '@/lib/api/gen/types.gen'
import { toServerTime } from '@/lib/api/server-clock'
import { type Proof, useCalls } from '@/ui/captcha/use-calls'

/** Asked for again when the site's next day begins; a little later, since clocks differ. */
export const useCheckInStatus = () =>
  useQuery({
    ...checkinGetOptions(),
    refetchInterval: ({ state: { data } }) =>
      data ? Math.max(1_000, Date.parse(data.next_at) - toServerTime(Date.now()) + 500) : false,
  })

/** Today's check-in: what it gave, and the captcha where one is asked for. */
export function useCheckIn() {
  const queryClient = useQueryClient()
  const form = useForm()
  const calls = useCalls(form)
  const [given, setGiven] = useState<CheckedIn>()

  const send = async (proof: Proof) => {
    try {
      const { data } = await checkinPost({ body: proof, throwOnError: true })
      setGiven(data)
      await queryClient.invalidateQueries() // the traffic that is left has changed
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'checkin_done') throw error
      await queryClient.invalidateQueries({ queryKey: checkinGetQueryKey() }) // in another tab
    }
  }
  const submit = form.handleSubmit(() => calls.call(send, () => void submit()))
  return { submit, calls, given }
}
