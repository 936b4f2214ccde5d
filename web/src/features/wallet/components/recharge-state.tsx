import { Card, Skeleton } from '@mantine/core'
import { type UseQueryResult, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { RechargeRecord } from '@/lib/api/gen/types.gen'
import { FormColumn } from '@/ui/form-column'
import { Loaded } from '@/ui/loaded'
import { PayPanel } from './pay-panel'
import { RechargeResult } from './recharge-result'

/** One recharge as it is now: where to pay while it waits, what became of it after. */
export function RechargeState({ recharge }: { recharge: UseQueryResult<RechargeRecord> }) {
  const queryClient = useQueryClient()
  const { state, order } = recharge.data ?? {}
  const paid = state === 'paid' ? `${state} ${order?.state ?? ''}` : undefined

  useEffect(() => {
    // The balance, and what the money bought, are other ones now.
    if (paid !== undefined)
      void queryClient.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[0] !== 'recharge',
      })
  }, [paid, queryClient])

  return (
    <FormColumn>
      <Card>
        <Loaded query={recharge} skeleton={<Skeleton height={360} />}>
          {(found) =>
            found.state === 'pending' ? (
              <PayPanel recharge={found} query={recharge} />
            ) : (
              <RechargeResult recharge={found} />
            )
          }
        </Loaded>
      </Card>
    </FormColumn>
  )
}
