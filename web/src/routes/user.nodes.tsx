import { createFileRoute } from '@tanstack/react-router'
import { nodesListOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { searchFlag, searchNumber, searchOf, searchText } from '@/lib/search-part'

export const Route = createFileRoute('/user/nodes')({
  validateSearch: searchOf({
    q: searchText,
    country: searchText,
    protocol: searchText,
    /** Only those that answer. */
    online: searchFlag,
    /** Only the favourites. */
    favourites: searchFlag,
    /** name, state, load or rate; else the server's order. */
    sort: searchText,
    /** The node whose drawer is open. */
    node: searchNumber,
  }),
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('node'), queryClient.prefetchQuery(nodesListOptions())),
  component: lazyPage(() => import('@/features/node/pages'), 'NodesPage'),
})
