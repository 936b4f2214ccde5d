import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/auth/sign-out')({
  component: lazyPage(() => import('@/features/account/open-pages'), 'SignOutPage'),
})
