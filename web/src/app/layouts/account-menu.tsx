import { Suspense, useState } from 'react'
import { lazyPart } from '@/lib/lazy-part'
import { useSession } from '@/lib/session/current-session'
import { AccountButton } from './account-button'

const AccountDropdown = lazyPart(() => import('./account-dropdown'), 'AccountDropdown')

/** Who is signed in; the menu behind it is loaded when it is first wanted. */
export function AccountMenu() {
  const [isWanted, setWanted] = useState(false)
  const session = useSession()
  if (session.status !== 'authenticated') return null

  const button = <AccountButton user={session.user} onClick={() => setWanted(true)} />
  if (!isWanted) return button
  return (
    <Suspense fallback={button}>
      <AccountDropdown user={session.user} />
    </Suspense>
  )
}
