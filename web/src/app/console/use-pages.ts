import { useMay } from '@/features/console/parts/permissions'
import { consolePages } from './navigation'

/** The pages that the member may see, in their groups; groups without any are left out. */
export function usePages() {
  const may = useMay()
  return consolePages
    .map(({ group, pages }) => ({
      group,
      pages: pages.filter(({ permission }) => !permission || may(permission)),
    }))
    .filter(({ pages }) => pages.length > 0)
}
