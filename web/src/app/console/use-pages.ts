import { useMay } from '@/features/console/parts/permissions'
import { consolePages } from './navigation'
import type { ConsolePage } from './page'

/** The pages that the member may see, in their groups; groups without any are left out. */
export function usePages() {
  const may = useMay()
  return groupsOf(({ permission }) => !permission || may(permission))
}

/** Those of them that the menu lists. */
export function useMenuPages() {
  const may = useMay()
  return groupsOf(({ permission, isOffMenu }) => !isOffMenu && (!permission || may(permission)))
}

const groupsOf = (isShown: (page: ConsolePage) => boolean) =>
  consolePages
    .map(({ group, pages }) => ({ group, pages: pages.filter(isShown) }))
    .filter(({ pages }) => pages.length > 0)
