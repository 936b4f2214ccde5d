import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { searchNumber, searchOf, searchOneOf, searchText } from '@/shared/lib/search-part'

const validateSearch = searchOf({
  kind: (part: unknown): 'plan' | 'package' => searchOneOf(['plan', 'package'], part) ?? 'plan',
  /** The chosen plan or package. */
  plan: searchNumber,
  months: searchNumber,
  /** The service to renew. */
  renew: searchNumber,
  /** The service that ends for the new one. */
  change: searchNumber,
  coupon: searchText,
})

export const Route = createFileRoute('/user/services/buy')({
  validateSearch,
  loader: () => loadTexts('shop'),
  component: lazyPage(() => import('@/features/shop/pages'), 'BuyPage'),
})
