import { useNavigate } from '@tanstack/react-router'
import { useQueryClient } from '@tanstack/react-query'
import { Pencil, Save, Trash2, User, Users } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffViewAdd, staffViewChange, staffViewRemove } from '@/lib/api/gen/staff/sdk.gen'
import type { ViewItem, ViewTexts } from '@/lib/api/gen/staff/types.gen'
import type { Action } from './action'
import type { ViewedLook } from './use-look'
import { addressOfView, type ListName, searchText, VIEWS_PERMISSION, viewsOf } from './views'

const NAME = { minLength: 1, maxLength: 60 }

const textsOf = ({ name, is_shared, search, columns, widths, is_dense }: ViewItem): ViewTexts => ({
  name,
  is_shared,
  search,
  columns,
  is_dense,
  ...(widths && { widths }),
})

async function change(view: ViewItem, texts: Partial<ViewTexts>): Promise<ViewItem> {
  const { data } = await staffViewChange({
    path: { view_id: view.id },
    headers: { 'If-Match': `"${view.version}"` },
    body: { ...textsOf(view), ...texts },
    throwOnError: true,
  })
  return data
}

/** Puts what the server answered among the views before the page leads to it, so that its tab is there at once. */
function useKept(resource: ListName) {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async (view: ViewItem) => {
    const query = viewsOf(resource)
    client.setQueryData(
      query.queryKey,
      (now) =>
        now && {
          ...now,
          views: [...now.views.filter(({ id }) => id !== view.id), view],
        },
    )
    await client.invalidateQueries({ queryKey: query.queryKey })
    await navigate({
      to: '.',
      search: addressOfView(view) as never,
      replace: true,
      resetScroll: false,
    })
  }
}

/** Saves the list, narrowed and sorted by `search`, under a name. */
export function useSaveAs(
  resource: ListName,
  search: Record<string, string>,
  look: ViewedLook,
): Action<null> {
  const { t } = useTranslation('console/parts')
  const keep = useKept(resource)
  return {
    key: 'save-as',
    title: look.view ? t('view.saveAs') : t('view.save'),
    permission: VIEWS_PERMISSION,
    danger: 'C',
    effect: () => t('view.saveEffect'),
    fields: () => [
      {
        name: 'name',
        label: t('view.name'),
        kind: 'text',
        isRequired: true,
        rules: NAME,
      },
      { name: 'is_shared', label: t('view.shareNow'), kind: 'switch' },
    ],
    run: async (_, { name, is_shared }) => {
      const { data } = await staffViewAdd({
        body: {
          resource,
          name: String(name),
          is_shared: is_shared === true,
          search: searchText(search),
          ...look.stored,
        },
        throwOnError: true,
      })
      await keep(data)
    },
    done: () => t('view.saved'),
  }
}

/** What of it is the same for all that is done with a view. */
function useCommon() {
  const { t } = useTranslation('console/parts')
  return {
    permission: VIEWS_PERMISSION,
    isShown: (view: ViewItem) => view.may_change,
    done: () => t('view.saved'),
  }
}

/** Gives the view what the address has. */
export function useSave(search: Record<string, string>, look: ViewedLook): Action<ViewItem> {
  const { t } = useTranslation('console/parts')
  const navigate = useNavigate()
  return {
    ...useCommon(),
    key: 'save',
    title: t('view.save'),
    icon: Save,
    danger: 'U',
    effect: () => t('view.saveEffect'),
    run: async (view) => {
      const made = await change(view, {
        search: searchText(search),
        widths: {},
        ...look.stored,
      })
      await navigate({
        to: '.',
        search: addressOfView(made) as never,
        replace: true,
        resetScroll: false,
      })
      return made
    },
    undo: (view, _, made) => change({ ...view, version: (made as ViewItem).version }, {}),
  }
}

/** What else may be done with the view that the address names. */
export function useViewActions(): Action<ViewItem>[] {
  return [useRename(), useShare(true), useShare(false), useRemoval()]
}

function useRename(): Action<ViewItem> {
  const { t } = useTranslation('console/parts')
  return {
    ...useCommon(),
    key: 'rename',
    title: t('view.rename'),
    icon: Pencil,
    danger: 'C',
    effect: () => t('view.renameEffect'),
    fields: ({ name }) => [
      {
        name: 'name',
        label: t('view.name'),
        kind: 'text',
        initial: name,
        isRequired: true,
        rules: NAME,
      },
    ],
    run: (view, { name }) => change(view, { name: String(name) }),
  }
}

function useShare(isShared: boolean): Action<ViewItem> {
  const { t } = useTranslation('console/parts')
  return {
    ...useCommon(),
    key: isShared ? 'share' : 'unshare',
    title: t(isShared ? 'view.share' : 'view.unshare'),
    icon: isShared ? Users : User,
    danger: 'C',
    isShown: (view) => view.may_change && view.is_shared !== isShared,
    effect: ({ name }) => t(isShared ? 'view.shareEffect' : 'view.unshareEffect', { name }),
    run: (view) => change(view, { is_shared: isShared }),
  }
}

function useRemoval(): Action<ViewItem> {
  const { t } = useTranslation('console/parts')
  const navigate = useNavigate()
  return {
    ...useCommon(),
    key: 'remove',
    title: t('view.remove'),
    icon: Trash2,
    danger: 'C',
    effect: ({ name, is_shared: isShared }) =>
      t(isShared ? 'view.removeSharedEffect' : 'view.removeEffect', { name }),
    run: async (view) => {
      await staffViewRemove({ path: { view_id: view.id }, throwOnError: true })
      await navigate({
        to: '.',
        search: ((now: object) => ({ ...now, view: undefined })) as never,
        replace: true,
      })
    },
    done: () => t('view.removed'),
  }
}
