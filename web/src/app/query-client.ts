import { MutationCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from '@/lib/api/errors'
import { dismissErrors } from '@/ui/toast'

const MOST_RETRIES = 2

export const queryClient = new QueryClient({
  mutationCache: new MutationCache({ onMutate: dismissErrors }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // Routes load data together with their code (load-page.ts): what failed there is shown, not asked for once more.
      retryOnMount: false,
      retry: (failures, error) =>
        failures < MOST_RETRIES && error instanceof ApiError && error.isPassing,
    },
    // Without a network a call fails at once: nobody wants a purchase to be made after they have gone on.
    mutations: { networkMode: 'always' },
  },
})
