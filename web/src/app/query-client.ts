import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '@/api/errors'

const MOST_RETRIES = 2

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (failures, error) =>
        failures < MOST_RETRIES && error instanceof ApiError && error.isPassing,
    },
  },
})
