import { Card, Skeleton } from '@mantine/core'
import { type UseQueryResult, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { RechargeRecord } from '@/lib/api/gen/types.gen'
import { FormColumn } from '@/ui/form-column'
import { Loaded } from '@/ui/loaded'
import { PayPanel } from './pay-panel'
import { RechargeResult } from './recharge-result'

/** The current state of a recharge: how to pay while it is pending, its result afterwards. */
export function RechargeState({ recharge }: { recharge: UseQueryResult<RechargeRecord> }) {
  const queryClient = useQueryClient()
  const { state, order } = recharge.data ?? {}
  const paid = state === 'paid' ? `${state} ${order?.state ?? ''}` : undefined

  useEffect(() => {
    // The balance and whatever the order bought have changed.
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
