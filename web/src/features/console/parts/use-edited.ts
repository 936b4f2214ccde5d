import { type FetchQueryOptions, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { FormValues } from './resource-form'

/**
 * The object that a form was filled from, whatever is read meanwhile. `reload` reads it once more, after another member
 * changed it.
 */
export function useEdited<T, Key extends readonly unknown[]>(
  first: T,
  query: FetchQueryOptions<T, Error, T, Key>,
  valuesOf: (one: T) => FormValues,
) {
  const client = useQueryClient()
  const [edited, setEdited] = useState(first)
  const reload = async () => {
    const present = await client.fetchQuery({ ...query, staleTime: 0 })
    setEdited(present)
    return valuesOf(present)
  }
  return { edited, reload }
}
