import { Button, Chip, NativeSelect, VisuallyHidden } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { SlidersHorizontal } from 'lucide-react'
import { Suspense, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { NodeInfo } from '@/lib/api/gen/types.gen'
import { lazyPart } from '@/lib/lazy-part'
import { SearchField } from '@/ui/search-field'
import { TextLink } from '@/ui/text-link'
import { choicesOf, countFilters, protocolName } from '../model'
import { useFilter, useIsNarrow } from '../use-filter'
import classes from './node-filters.module.css'

const FilterSheet = lazyPart(() => import('./filter-sheet'), 'FilterSheet')

/** Search and filters in one row, for want of room behind a button, and what they leave. */
export function NodeFilters({ nodes, found }: { nodes: readonly NodeInfo[]; found: number }) {
  const { t } = useTranslation('node')
  const { filter, change } = useFilter()
  const isNarrow = useIsNarrow()
  const field = useRef<HTMLInputElement>(null)
  useHotkeys([['/', () => field.current?.focus()]])

  return (
    <div role="search" className={classes.toolbar}>
      <div className={classes.filters}>
        <SearchField
          ref={field}
          className={classes.search}
          label={t('search')}
          value={filter.q ?? ''}
          onSearch={(q) => change({ q: q || undefined })}
        />
        {isNarrow ? <Behind nodes={nodes} found={found} /> : <InSight nodes={nodes} />}
      </div>
      <p className={classes.found}>
        <span role="status">{t('count', { count: found })}</span>
        {found > 0 && (filter.q || countFilters(filter) > 0) && (
          <TextLink to="/user/nodes" search={{}} underline="hover">
            {t('clear')}
          </TextLink>
        )}
      </p>
    </div>
  )
}

function InSight({ nodes }: { nodes: readonly NodeInfo[] }) {
  const { t, i18n } = useTranslation('node')
  const { filter, change } = useFilter()
  const { countries, protocols } = useMemo(
    () => choicesOf(nodes, i18n.language),
    [nodes, i18n.language],
  )
  return (
    <>
      <NativeSelect
        className={classes.select}
        aria-label={t('country')}
        value={filter.country ?? ''}
        data={[
          { value: '', label: t('country') },
          ...countries.map(({ code, name }) => ({ value: code, label: name || t('unknown') })),
        ]}
        onChange={({ currentTarget }) => change({ country: currentTarget.value || undefined })}
      />
      <NativeSelect
        className={classes.select}
        aria-label={t('protocol')}
        value={filter.protocol ?? ''}
        data={[
          { value: '', label: t('protocol') },
          ...protocols.map((value) => ({ value, label: protocolName(value) })),
        ]}
        onChange={({ currentTarget }) => change({ protocol: currentTarget.value || undefined })}
      />
      <Chip
        variant="outline"
        size="md"
        checked={filter.online ?? false}
        onChange={(online) => change({ online: online || undefined })}
      >
        {t('onlineOnly')}
      </Chip>
      <Chip
        variant="outline"
        size="md"
        checked={filter.favourites ?? false}
        onChange={(favourites) => change({ favourites: favourites || undefined })}
      >
        {t('favouritesOnly')}
      </Chip>
    </>
  )
}

function Behind(props: { nodes: readonly NodeInfo[]; found: number }) {
  const { t } = useTranslation('node')
  const [wasOpened, setOpened] = useState(false)
  const [isOpen, sheet] = useDisclosure(false, { onOpen: () => setOpened(true) })
  const active = countFilters(useFilter().filter)
  return (
    <>
      <Button
        variant="default"
        className={classes.button}
        leftSection={<SlidersHorizontal size={18} strokeWidth={1.75} aria-hidden="true" />}
        aria-haspopup="dialog"
        onClick={sheet.open}
      >
        {t('filter.open')}{' '}
        {active > 0 && (
          <>
            <span aria-hidden="true" className={classes.active}>
              {active}
            </span>
            <VisuallyHidden>{t('filter.active', { count: active })}</VisuallyHidden>
          </>
        )}
      </Button>
      <Suspense>
        {wasOpened && <FilterSheet {...props} opened={isOpen} onClose={sheet.close} />}
      </Suspense>
    </>
  )
}
