import { createFileRoute } from '@tanstack/react-router'
import { DefaultLayout } from '@/app/layouts/default-layout'

export const Route = createFileRoute('/test-page/_default')({
  component: DefaultLayout,
})
