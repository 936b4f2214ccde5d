import { createFileRoute } from '@tanstack/react-router'
import { requireSignIn } from '@/app/guard'
import { DefaultLayout } from '@/app/layouts/default-layout'

export const Route = createFileRoute('/user')({
  beforeLoad: ({ context, location }) => requireSignIn(context.session, location.href),
  component: DefaultLayout,
})
