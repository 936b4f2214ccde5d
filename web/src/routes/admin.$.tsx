import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

/** Every address below `/admin` that no page has, for members of staff. */
export const Route = createFileRoute('/admin/$')({
  component: lazyPage(() => import('@/app/console/not-found'), 'NotFoundInConsole'),
})
