import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { searchFlag, searchNumber, searchOf, searchText } from '@/shared/lib/search-part'

export const Route = createFileRoute('/user/nodes')({
  validateSearch: searchOf({
    q: searchText,
    country: searchText,
    protocol: searchText,
    /** Only those that answer. */
    online: searchFlag,
    /** Only the favourites. */
    stars: searchFlag,
    /** name, state, load or rate; else the server's order. */
    sort: searchText,
    /** The node whose drawer is open. */
    node: searchNumber,
  }),
  loader: () => loadTexts('node'),
  component: lazyPage(() => import('@/features/node/pages'), 'NodesPage'),
})
