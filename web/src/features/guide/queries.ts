import { keepPreviousData } from '@tanstack/react-query'
import { guideGetOptions, guidesListOptions } from '@/lib/api/gen/@tanstack/react-query.gen'

/** The guides that have all of the words. */
export const guidesWith = (words: string | undefined) => ({
  ...guidesListOptions({ query: words ? { q: words.slice(0, 100) } : {} }),
  placeholderData: keepPreviousData,
})

export const guideOf = (slug: string) => guideGetOptions({ path: { slug } })
