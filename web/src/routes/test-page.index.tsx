import { createFileRoute, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/test-page/')({
  beforeLoad: () => {
    throw redirect({ to: '/test-page/test1', replace: true })
  },
})
