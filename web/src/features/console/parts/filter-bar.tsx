import { Button, Popover } from '@mantine/core'
import { ListFilter, SquareX } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isElsewhere } from '@/lib/keys'
import { SearchField } from '@/ui/search-field'
import classes from './filter-bar.module.css'
import { FilterField } from './filter-field'
import { type Filter, wordsOf } from './filters'
import { useListSearch } from './list-search'

const TYPING_MS = 250

/**
 * What a list is narrowed by: a field to search, a chip for each filter, and the menu of the rest. Each filter is an entry of
 * the history; typing replaces the last one.
 */
export function FilterBar(props: {
  filters: readonly Filter[]
  /** The part of the address that is searched by, with what the field says. */
  search?: { key: string; label: string }
  /** What else stands in the bar. */
  children?: ReactNode
}) {
  const { t } = useTranslation('console/parts')
  const { search, change } = useListSearch()
  const [open, setOpen] = useState<string>()
  const bar = useRef<HTMLDivElement>(null)
  useBarKeys(bar, () => setOpen(''))
  const set = props.filters.filter(({ key }) => search[key] !== undefined)
  const rest = props.filters.filter(({ key }) => search[key] === undefined)
  return (
    <div ref={bar} role="search" aria-label={t('filter.bar')} className={classes.bar}>
      {props.search && <SearchBy part={props.search.key} label={props.search.label} />}
      {set.map((filter) => (
        <Chip
          key={filter.key}
          filter={filter}
          value={search[filter.key] ?? ''}
          isOpen={open === filter.key}
          onOpen={(isOpen) => setOpen(isOpen ? filter.key : undefined)}
          onChange={(value) => change({ [filter.key]: value })}
        />
      ))}
      {rest.length > 0 && (
        <AddFilter
          filters={rest}
          isOpen={open === ''}
          onOpen={(isOpen) => setOpen(isOpen ? '' : undefined)}
          onChange={(key, value) => change({ [key]: value })}
        />
      )}
      {set.length > 1 && (
        <Button
          variant="subtle"
          color="gray"
          c="dimmed"
          size="sm"
          onClick={() => change(Object.fromEntries(set.map(({ key }) => [key, undefined])))}
        >
          {t('filter.clear')}
        </Button>
      )}
      <div className={classes.rest}>{props.children}</div>
    </div>
  )
}

function SearchBy({ part, label }: { part: string; label: string }) {
  const { search, change } = useListSearch()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <SearchField
      className={classes.search ?? ''}
      label={label}
      value={search[part] ?? ''}
      onSearch={(words) => {
        clearTimeout(timer.current)
        timer.current = setTimeout(
          () =>
            change({ [part]: words.trim() || undefined }, { replace: search[part] !== undefined }),
          TYPING_MS,
        )
      }}
    />
  )
}

function Chip(props: {
  filter: Filter
  value: string
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  onChange: (value: string | undefined) => void
}) {
  const { t } = useTranslation('console/parts')
  const { filter, value } = props
  return (
    <span className={classes.chip}>
      <Popover
        opened={props.isOpen}
        onChange={props.onOpen}
        position="bottom-start"
        trapFocus
        returnFocus
        shadow="md"
      >
        <Popover.Target>
          <button
            type="button"
            className={classes.words}
            onClick={() => props.onOpen(!props.isOpen)}
          >
            <span className={classes.title}>{filter.title}</span> {wordsOf(filter, value)}
          </button>
        </Popover.Target>
        <Popover.Dropdown>
          <FilterField
            filter={filter}
            value={value}
            onChange={(changed) => {
              props.onChange(changed)
              if (filter.kind !== 'choice') props.onOpen(false)
            }}
          />
        </Popover.Dropdown>
      </Popover>
      <button
        type="button"
        className={classes.remove}
        aria-label={t('filter.remove', { name: filter.title })}
        onClick={() => props.onChange(undefined)}
      >
        <SquareX size={14} strokeWidth={1.75} aria-hidden="true" />
      </button>
    </span>
  )
}

function AddFilter(props: {
  filters: readonly Filter[]
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  onChange: (key: string, value: string | undefined) => void
}) {
  const { t } = useTranslation('console/parts')
  const [key, setKey] = useState<string>()
  const chosen = props.filters.find((filter) => filter.key === key)
  const toggle = (isOpen: boolean) => {
    setKey(undefined)
    props.onOpen(isOpen)
  }
  return (
    <Popover
      opened={props.isOpen}
      onChange={toggle}
      position="bottom-start"
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <Button
          variant="default"
          size="sm"
          data-adds
          leftSection={<ListFilter size={16} strokeWidth={1.75} aria-hidden="true" />}
          onClick={() => toggle(!props.isOpen)}
        >
          {t('filter.add')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        {chosen ? (
          <FilterField
            filter={chosen}
            value=""
            onChange={(value) => {
              props.onChange(chosen.key, value)
              toggle(false)
            }}
          />
        ) : (
          <ul className={classes.menu}>
            {props.filters.map((filter) => (
              <li key={filter.key}>
                <button type="button" className={classes.item} onClick={() => setKey(filter.key)}>
                  {filter.title}
                </button>
              </li>
            ))}
          </ul>
        )}
      </Popover.Dropdown>
    </Popover>
  )
}

/** `/` goes to the search field, `f` opens the menu of filters. */
function useBarKeys(bar: RefObject<HTMLElement | null>, onAdd: () => void) {
  const add = useRef(onAdd)
  useEffect(() => {
    add.current = onAdd
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isElsewhere(event)) return
      if (event.key === '/') bar.current?.querySelector('input')?.focus()
      else if (event.key === 'f') {
        // Where the focus goes once the menu has closed.
        bar.current?.querySelector<HTMLElement>('[data-adds]')?.focus()
        add.current()
      } else return
      event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [bar])
}
