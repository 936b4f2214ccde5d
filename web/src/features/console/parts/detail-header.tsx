import { ActionIcon, Group, Title } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { isElsewhere } from '@/lib/keys'
import { useSiteName } from '@/lib/site-name'
import classes from './detail-header.module.css'
import type { RowLink } from './resource'

type Tab = { key: string; title: string }

/**
 * First thing of a page about one object: the way back to its list, its name, its state in words, one primary action and
 * the menu of the others, the objects before and after it, and its tabs, which stand in the address.
 */
export function DetailHeader(props: {
  list: { title: string; link: RowLink }
  title: string
  state?: ReactNode
  /** Its number or id, and whatever else is known at once. */
  about?: ReactNode
  primary?: ReactNode
  menu?: ReactNode
  /** The objects before and after it in the list. */
  neighbours?: { before?: RowLink | undefined; after?: RowLink | undefined }
  tabs?: readonly Tab[]
}) {
  const siteName = useSiteName()
  const { neighbours } = props
  const header = useHeaderKeys()
  return (
    <header ref={header} className={classes.header}>
      <title>{`${props.title} · ${siteName}`}</title>
      <div className={classes.top}>
        <Link {...props.list.link} className={classes.back}>
          <ChevronLeft size={16} strokeWidth={1.75} aria-hidden="true" />
          {props.list.title}
        </Link>
        {neighbours && <Neighbours {...neighbours} />}
      </div>
      <div className={classes.row}>
        <div className={classes.words}>
          <Title order={1} tabIndex={-1}>
            {props.title}
          </Title>
          {props.state}
          {props.about && <span className={classes.about}>{props.about}</span>}
        </div>
        <Group gap="xs">
          {props.primary}
          {props.menu}
        </Group>
      </div>
      {props.tabs && <Tabs tabs={props.tabs} />}
    </header>
  )
}

/** `.` opens the menu of the object, `e` leads into the form that its page is. */
function useHeaderKeys() {
  const header = useRef<HTMLElement>(null)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isElsewhere(event)) return
      const page = header.current?.parentElement
      if (event.key === '.') header.current?.querySelector<HTMLElement>('[data-menu]')?.click()
      else if (event.key === 'e')
        page?.querySelector<HTMLElement>('form :is(input, textarea, select):enabled')?.focus()
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  return header
}

function Neighbours({ before, after }: { before?: RowLink; after?: RowLink }) {
  const { t } = useTranslation('console/parts')
  const navigate = useNavigate()
  const now = useRef({ before, after })
  useEffect(() => {
    now.current = { before, after }
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isElsewhere(event)) return
      const link = { '[': now.current.before, ']': now.current.after }[event.key]
      if (link) void navigate(link)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [navigate])
  return (
    <Group gap={4} ms="auto">
      <Neighbour link={before} label={t('detail.before')} icon={<ChevronLeft size={16} />} />
      <Neighbour link={after} label={t('detail.after')} icon={<ChevronRight size={16} />} />
    </Group>
  )
}

function Neighbour(props: { link: RowLink | undefined; label: string; icon: ReactNode }) {
  const look = {
    variant: 'default',
    size: 32,
    'aria-label': props.label,
  } as const
  if (!props.link)
    return (
      <ActionIcon {...look} disabled>
        {props.icon}
      </ActionIcon>
    )
  const { link } = props
  return (
    <ActionIcon {...look} renderRoot={(rest) => <Link {...rest} {...link} />}>
      {props.icon}
    </ActionIcon>
  )
}

const tabIn = (search: object): { tab?: unknown } => search

/** The tab that the address names, else the first one. */
export function useTab(tabs: readonly Tab[]): string | undefined {
  const { tab } = useSearch({ strict: false, select: tabIn })
  return tabs.find(({ key }) => key === tab)?.key ?? tabs[0]?.key
}

function Tabs({ tabs }: { tabs: readonly Tab[] }) {
  const { t } = useTranslation('console/parts')
  const current = useTab(tabs)
  return (
    <nav aria-label={t('detail.tabs')} className={classes.tabs}>
      {tabs.map(({ key, title }, index) => (
        <Link
          key={key}
          to="."
          search={
            ((now: object) => ({
              ...now,
              tab: index === 0 ? undefined : key,
            })) as never
          }
          resetScroll={false}
          className={classes.tab}
          data-on={key === current}
          aria-current={key === current ? 'page' : undefined}
        >
          {title}
        </Link>
      ))}
    </nav>
  )
}
