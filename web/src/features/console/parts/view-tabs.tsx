import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ListOrdered, RotateCcw, Save, Users } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffViews, staffViewsOrder } from '@/lib/api/gen/staff/sdk.gen'
import type { ViewItem } from '@/lib/api/gen/staff/types.gen'
import { lazyPart } from '@/lib/lazy-part'
import { ActionButton, ActionMenu } from './action-runner'
import { useListSearch } from './list-search'
import type { ViewedLook } from './use-look'
import { useSave, useSaveAs, useViewActions } from './view-actions'
import classes from './view-tabs.module.css'
import { addressOfView, isNarrowedAs, type ListName, useViews } from './views'

const OrderDialog = lazyPart(() => import('./order-dialog'), 'OrderDialog')

/**
 * The views of a list as tabs, and what may be done with the one that the address names. A view is an address: its tab leads
 * there, and whatever is changed then stands in the address until it is saved.
 */
export function ViewTabs(props: {
  resource: ListName
  /** What of the address narrows and sorts the list. */
  search: Record<string, string>
  look: ViewedLook
}) {
  const { t } = useTranslation('console/parts')
  const { resource, search, look } = props
  const { look: parts } = useListSearch()
  const { may, data } = useViews(resource)
  const views = data?.views ?? []
  const { view } = look
  const isNarrowed = Object.keys(search).length > 0
  const isChanged =
    view !== undefined &&
    (!isNarrowedAs(view, search) ||
      [parts.columns, parts.widths, parts.rows].some((part) => part !== undefined))
  if (!may || (views.length === 0 && !isNarrowed)) return null
  return (
    <div className={classes.views}>
      {views.length > 0 && (
        <nav aria-label={t('view.all')} className={classes.tabs}>
          <Tab title={t('view.none')} search={{}} isOn={view === undefined} />
          {views.map((one) => (
            <Tab
              key={one.id}
              title={one.name}
              search={addressOfView(one)}
              isOn={one.id === view?.id}
              {...(!one.is_own && {
                owner: one.owner.email ?? t('view.somebody'),
              })}
              isShared={one.is_shared}
            />
          ))}
        </nav>
      )}
      <div className={classes.actions}>
        {isChanged && <Changed view={view} />}
        {view ? (
          <OfView key={view.id} {...props} view={view} isChanged={isChanged} />
        ) : (
          isNarrowed && <SaveAs {...props} />
        )}
        {views.filter((one) => one.is_own).length > 1 && (
          <OrderViews resource={resource} views={views.filter((one) => one.is_own)} />
        )}
      </div>
    </div>
  )
}

function Tab(props: {
  title: string
  search: object
  isOn: boolean
  /** Whose it is, where it is another member's. */
  owner?: string
  isShared?: boolean
}) {
  const { t } = useTranslation('console/parts')
  const { owner } = props
  return (
    <Link
      to="."
      search={props.search as never}
      activeOptions={{ includeSearch: true, exact: true }}
      resetScroll={false}
      className={classes.tab}
      data-on={props.isOn}
      aria-current={props.isOn ? 'page' : undefined}
      title={owner && t('view.by', { name: owner })}
    >
      {props.title}
      {props.isShared && <Users size={14} strokeWidth={1.75} aria-label={t('view.shared')} />}
    </Link>
  )
}

/** Says that the address is not what the view has, and leads back. */
function Changed({ view }: { view: ViewItem }) {
  const { t } = useTranslation('console/parts')
  return (
    <>
      <span className={classes.changed}>{t('view.changed')}</span>
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        leftSection={<RotateCcw size={14} strokeWidth={1.75} aria-hidden="true" />}
        renderRoot={(rest) => <Link {...rest} to="." search={addressOfView(view) as never} />}
      >
        {t('view.reset')}
      </Button>
    </>
  )
}

function SaveAs({ resource, search, look }: Parameters<typeof ViewTabs>[0]) {
  const action = useSaveAs(resource, search, look)
  return <ActionButton subject={null} action={{ ...action, icon: Save }} />
}

function OfView(
  props: Parameters<typeof ViewTabs>[0] & {
    view: ViewItem
    isChanged: boolean
  },
) {
  const { resource, search, view, look } = props
  const save = useSave(search, look)
  const saveAs = useSaveAs(resource, search, look)
  return (
    <>
      {props.isChanged && view.may_change && <ActionButton subject={view} action={save} />}
      {props.isChanged && <ActionButton subject={null} action={saveAs} />}
      <ActionMenu subject={view} name={view.name} actions={useViewActions()} isRow />
    </>
  )
}

function OrderViews({ resource, views }: { resource: ListName; views: readonly ViewItem[] }) {
  const { t } = useTranslation('console/parts')
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        leftSection={<ListOrdered size={14} strokeWidth={1.75} aria-hidden="true" />}
        onClick={() => setOpen(true)}
      >
        {t('view.order')}
      </Button>
      {isOpen && (
        <Suspense>
          <OrderDialog
            title={t('view.order')}
            items={views}
            read={async () => {
              const { data } = await staffViews({ query: { resource }, throwOnError: true })
              return data.views.filter((one) => one.is_own)
            }}
            save={(ids) =>
              staffViewsOrder({
                body: { resource, views: ids as number[] },
                throwOnError: true,
              })
            }
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}
