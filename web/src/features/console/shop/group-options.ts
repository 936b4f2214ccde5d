import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { nodeGroups } from '../network/resource'
import type { Option } from '../parts/option'
import { useMay } from '../parts/permissions'

const NAMES_SHOWN = 3

/**
 * The groups that nodes are in, and those chosen before, named by their nodes, since groups have no names of their own.
 * Undefined where the member cannot read them, or there is none yet, and their numbers have to be known.
 */
export function useGroupOptions(chosen: readonly number[]): Option[] | undefined {
  const { t } = useTranslation('console/shop')
  const may = useMay()
  const isReadable = may('node.read')
  const { data, isError } = useQuery({ ...nodeGroups(), enabled: isReadable })
  const groups = new Map<number, string[]>(chosen.map((group) => [group, []]))
  for (const { group_id: group, nodes } of data?.groups ?? [])
    if (group > 0)
      groups.set(group, [...(groups.get(group) ?? []), ...nodes.map(({ name }) => name)])
  const isKnown = data !== undefined || !isError
  if (!isReadable || !isKnown || (data && groups.size === 0)) return undefined
  return [...groups]
    .toSorted(([one], [other]) => one - other)
    .map(([group, nodes]) => {
      const names = nodes.slice(0, NAMES_SHOWN).join(', ')
      const rest = nodes.length - NAMES_SHOWN
      return {
        value: String(group),
        label: names
          ? t('group.of', { group, names: rest > 0 ? `${names} +${rest}` : names })
          : t('group.empty', { group }),
        also: nodes.join(' '),
      }
    })
}
