import { formPermissionAt } from '@/features/console/parts/form-permissions'
import { consolePages } from './navigation'
import type { ConsolePage } from './page'

/** The first page that a member may read; none where their role has no page. */
export const firstPage = (may: (permission: string) => boolean): ConsolePage | undefined =>
  consolePages
    .flatMap(({ pages }) => pages)
    .find(({ permission }) => permission === undefined || may(permission))

/** Whether a member may see the page at an address: reading it, and where it is a form, what that is for. */
export const mayOpen = (path: string, may: (permission: string) => boolean): boolean =>
  [pageAt(path)?.permission, formPermissionAt(path)].every(
    (permission) => permission === undefined || may(permission),
  )

/** The page that an address belongs to: itself, or the one that it lies below. */
function pageAt(path: string): ConsolePage | undefined {
  return consolePages
    .flatMap(({ pages }) => pages)
    .toSorted((one, other) => other.to.length - one.to.length)
    .find(({ to }) => path === to || path.startsWith(`${to}/`))
}
