import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { movementReasons } from '@/features/wallet/reasons'
import { searchOf, searchOneOf, searchPage } from '@/shared/lib/search-part'

export const Route = createFileRoute('/user/wallet/')({
  validateSearch: searchOf({
    page: searchPage,
    reason: (part: unknown) => searchOneOf(movementReasons, part),
  }),
  loader: () => loadTexts('wallet'),
  component: lazyPage(() => import('@/features/wallet/pages'), 'WalletPage'),
})
