import { useMediaQuery } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'
import type { Filter } from './model'

const route = getRouteApi('/user/nodes')

/** What is searched, filtered and sorted by; it is in the address, so that a view can be kept and shared. */
export function useFilter() {
  const filter: Filter = route.useSearch({
    select: ({ q, country, protocol, online, favourites, sort }) => ({
      q,
      country,
      protocol,
      online,
      favourites,
      sort,
    }),
    structuralSharing: true,
  })
  const navigate = route.useNavigate()
  const change = (part: Filter) =>
    void navigate({
      search: (now) => ({ ...now, ...part }),
      replace: true,
      resetScroll: false,
    })
  return { filter, change }
}

/** Whether nodes are cards and filters a sheet, for want of room; node-list.module.css has the same width. */
export const useIsNarrow = () =>
  useMediaQuery('(max-width: 59.9375em)', undefined, { getInitialValueInEffect: false })
