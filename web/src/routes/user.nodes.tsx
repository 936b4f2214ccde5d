import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

const text = z.catch(z.optional(z.string()), undefined)

export const Route = createFileRoute('/user/nodes')({
  validateSearch: z.object({
    q: text,
    country: text,
    protocol: text,
    /** Only those that answer. */
    online: z.catch(z.optional(z.boolean()), undefined),
    /** Only the favourites. */
    stars: z.catch(z.optional(z.boolean()), undefined),
  }),
  loader: () => loadTexts('node'),
  component: lazyPage(() => import('@/features/node/nodes-page'), 'NodesPage'),
})
