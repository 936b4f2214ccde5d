import { useQuery } from '@tanstack/react-query'
import { checkinGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { toServerTime } from '@/lib/api/server-clock'

/** Asked for again when the site's next day begins; a little later, since clocks differ. */
export const useCheckInStatus = () =>
  useQuery({
    ...checkinGetOptions(),
    refetchInterval: ({ state: { data } }) =>
      data ? Math.max(1_000, Date.parse(data.next_at) - toServerTime(Date.now()) + 500) : false,
  })
