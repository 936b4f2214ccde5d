import { useState } from 'react'
import { useMe } from '@/features/console/parts/use-me'

/** Who is signed in, or was last: when a session ends, the page stays as it is until another one takes its place. */
export function useAccount(): number {
  const me = useMe()
  const [account, setAccount] = useState(me)
  if (me !== 0 && me !== account) setAccount(me)
  return account
}
