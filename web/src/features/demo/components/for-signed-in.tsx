import { useLocation } from '@tanstack/react-router'
import { LogIn } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '@/lib/session/current-session'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'

/** What only somebody who is signed in can see; others are led to sign-in and back. */
export function ForSignedIn({ children }: { children: ReactNode }) {
  const { t } = useTranslation('demo')
  const { status } = useSession()
  const here = useLocation({ select: ({ href }) => href })
  if (status === 'authenticated') return children
  return (
    <Empty
      icon={LogIn}
      text={t('signIn')}
      action={
        <ButtonLink to="/auth/sign-in" search={{ next: here }}>
          {t('toSignIn')}
        </ButtonLink>
      }
    />
  )
}
