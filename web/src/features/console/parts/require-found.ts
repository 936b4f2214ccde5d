import type { UseQueryResult } from '@tanstack/react-query'
import { notFound } from '@tanstack/react-router'
import { ApiError } from '@/lib/api/errors'

/** Shows the not-found page of the console where the server does not know the object of a page. */
export function requireFound({ data, error }: Pick<UseQueryResult, 'data' | 'error'>): void {
  if (data === undefined && error instanceof ApiError && error.status === 404)
    throw notFound({ routeId: '/admin' })
}
