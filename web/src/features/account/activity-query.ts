import { accountActivityOptions } from '@/lib/api/gen/@tanstack/react-query.gen'

export const PAGE_SIZE = 20

/** Loaded by the route together with the page's code, and by the page. */
export const activityOf = (page: number) =>
  accountActivityOptions({ query: { page, size: PAGE_SIZE } })
