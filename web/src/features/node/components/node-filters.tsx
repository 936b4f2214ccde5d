import { Chip, Select, TextInput } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { NodeInfo } from '@/api/gen/types.gen'
import { choicesOf, type Filter, protocolName, sorts } from '../model'
import classes from './node-filters.module.css'

const route = getRouteApi('/user/nodes')

/** Search and filters; they stand in the address, so that a view can be kept and shared. */
export function NodeFilters({ nodes, found }: { nodes: readonly NodeInfo[]; found: number }) {
  const { t, i18n } = useTranslation('node')
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const field = useRef<HTMLInputElement>(null)
  useHotkeys([['/', () => field.current?.focus()]])
  const { countries, protocols } = useMemo(
    () => choicesOf(nodes, i18n.language),
    [nodes, i18n.language],
  )
  const change = (part: Filter) =>
    void navigate({ search: { ...filter, ...part }, replace: true, resetScroll: false })

  return (
    <div role="search" className={classes.filters}>
      <TextInput
        ref={field}
        className={classes.search}
        aria-label={t('search')}
        placeholder={t('search')}
        leftSection={<Search size={18} strokeWidth={1.75} />}
        value={filter.q ?? ''}
        onChange={(event) => change({ q: event.currentTarget.value || undefined })}
      />
      <Select
        className={classes.select}
        aria-label={t('country')}
        placeholder={t('country')}
        clearable
        value={filter.country ?? null}
        data={countries.map(({ code, name }) => ({ value: code, label: name || t('unknown') }))}
        onChange={(country) => change({ country: country ?? undefined })}
      />
      <Select
        className={classes.select}
        aria-label={t('protocol')}
        placeholder={t('protocol')}
        clearable
        value={filter.protocol ?? null}
        data={protocols.map((value) => ({ value, label: protocolName(value) }))}
        onChange={(protocol) => change({ protocol: protocol ?? undefined })}
      />
      <Select
        className={classes.select}
        aria-label={t('sort.by')}
        placeholder={t('sort.by')}
        clearable
        value={filter.sort ?? null}
        data={sorts.map((value) => ({ value, label: t(`sort.${value}`) }))}
        onChange={(sort) => change({ sort: sort ?? undefined })}
      />
      <Toggles found={found} filter={filter} onChange={change} />
    </div>
  )
}

function Toggles(props: { found: number; filter: Filter; onChange: (part: Filter) => void }) {
  const { t } = useTranslation('node')
  const { filter, onChange } = props
  return (
    <div className={classes.chips}>
      <Chip
        variant="outline"
        size="md"
        checked={filter.online ?? false}
        onChange={(online) => onChange({ online: online || undefined })}
      >
        {t('onlineOnly')}
      </Chip>
      <Chip
        variant="outline"
        size="md"
        checked={filter.stars ?? false}
        onChange={(stars) => onChange({ stars: stars || undefined })}
      >
        {t('starsOnly')}
      </Chip>
      <span role="status" className={classes.count}>
        {t('count', { count: props.found })}
      </span>
    </div>
  )
}
