import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { searchNumber, searchOf } from '@/shared/lib/search-part'

export const Route = createFileRoute('/user/services-old')({
  validateSearch: searchOf({
    /** The service whose bills are unfolded. */
    bills: searchNumber,
  }),
  loader: () => loadTexts('service'),
  component: lazyPage(() => import('@/features/service/pages'), 'ServicesOldPage'),
})
