import { Card, Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Loaded } from '@/shared/ui/loaded'
import { rechargeOptions } from '../recharge-query'
import { PayPanel } from './pay-panel'
import { RechargeResult } from './recharge-result'
import classes from './recharge.module.css'

/** One recharge as it is now: where to pay while it waits, what became of it after. */
export function RechargeState({ id }: { id: string }) {
  const recharge = useQuery(rechargeOptions(id))
  const queryClient = useQueryClient()
  const state = recharge.data?.state

  useEffect(() => {
    // The balance, and what the money bought, are other ones now.
    if (state === 'paid')
      void queryClient.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[0] !== 'recharge',
      })
  }, [state, queryClient])

  return (
    <Card className={classes.card}>
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
  )
}
