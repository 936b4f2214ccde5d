import { createFileRoute } from '@tanstack/react-router'
import { requireSignIn } from '@/app/guard'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/user')({
  beforeLoad: ({ context, location }) => requireSignIn(context.session, location.href),
  component: lazyPage(() => import('@/app/layouts/default-layout'), 'DefaultLayout'),
})
