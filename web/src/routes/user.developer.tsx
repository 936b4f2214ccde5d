import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

const text = z.catch(z.optional(z.string()), undefined)

export const Route = createFileRoute('/user/developer')({
  validateSearch: z.object({
    tab: z._default(z.catch(z.enum(['tokens', 'samples', 'reference']), 'tokens'), 'tokens'),
    /** What is searched for in the reference. */
    q: text,
    /** The chosen call, by its operationId. */
    op: text,
  }),
  loader: () => loadTexts('developer'),
  component: lazyPage(() => import('@/features/developer/developer-page'), 'DeveloperPage'),
})
