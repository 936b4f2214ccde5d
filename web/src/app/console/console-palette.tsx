import { useMantineColorScheme } from '@mantine/core'
import type { SpotlightActionGroupData } from '@mantine/spotlight'
import { useRouter } from '@tanstack/react-router'
import { Keyboard, Languages, LogOut, UserRoundCog } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Language, languages, switchLanguage } from '../i18n'
import { Keys } from '../layouts/keys'
import { PaletteOf, paletteStore } from '../layouts/palette'
import { type Scheme, schemes } from '../layouts/preference-buttons'
import { hearKeys, heldKeys } from './hold-keys'
import { type Found, keepFound, recentlyFound, useFound } from './use-found'
import { usePages } from './use-pages'

const icon = { size: 18, strokeWidth: 1.75 }

/** Every page and action of the console by name, and what the API finds by what is typed. */
export function ConsolePalette({ onShowKeys }: { onShowKeys: () => void }) {
  const [query, setQuery] = useState(heldKeys)
  useEffect(() => hearKeys(setQuery), [])
  useHighlight(query)
  return (
    <PaletteOf
      actions={[...useFoundGroups(query), ...usePageGroups(), useActions(onShowKeys)]}
      query={query}
      onQuery={setQuery}
    />
  )
}

/**
 * Enter takes what is highlighted. Spotlight highlights the first action once after each key, when the server's answer is
 * not there yet: without another match that left nothing to take.
 */
function useHighlight(query: string) {
  useEffect(() => {
    if (query.trim() === '') return
    const list = document.getElementById(paletteStore.getState().listId)
    const actions = [...(list?.querySelectorAll('[data-action]') ?? [])]
    const at = actions.findIndex((action) => action.hasAttribute('data-selected'))
    const selected = Math.max(at, 0)
    actions[selected]?.setAttribute('data-selected', 'true')
    // Results came before the one that is highlighted: the arrows go on from its new place.
    if (paletteStore.getState().selected !== selected)
      paletteStore.updateState((state) => ({ ...state, selected }))
  })
}

/**
 * Takes the focus off the palette's field before the palette leads to a page. The page's heading gets the focus where no
 * field has it, and the palette is still there when the page is drawn.
 */
const leaveField = () => {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
}

/** By kind what was found; before one types what was opened last. */
function useFoundGroups(query: string): SpotlightActionGroupData[] {
  const { t } = useTranslation('console/shell')
  const router = useRouter()
  const found = useFound(query)
  const isEmpty = query.trim() === ''
  const shown = isEmpty ? recentlyFound() : found
  const kinds = [...new Set(shown.map(({ kind }) => kind))]
  const actionOf = (one: Found) => ({
    id: `${one.kind} ${one.label}`,
    label: one.label,
    ...(one.about && { description: one.about }),
    // The server found it, by more than what is shown of it.
    keywords: query,
    onClick: () => {
      keepFound(one)
      leaveField()
      void router.navigate({ to: one.to, params: one.params, search: one.search } as never)
    },
  })
  return isEmpty
    ? [{ group: t('found.recent'), actions: shown.map(actionOf) }].filter(() => shown.length > 0)
    : kinds.map((kind) => ({
        group: t(`found.${kind}`),
        actions: shown.filter((one) => one.kind === kind).map(actionOf),
      }))
}

function usePageGroups(): SpotlightActionGroupData[] {
  const { t } = useTranslation('console/shell')
  const router = useRouter()
  return usePages().map(({ group, pages }) => ({
    group: t(`group.${group}`),
    actions: pages.map(({ to, key, icon: Icon, shortcut }) => ({
      id: key,
      label: t(`page.${key}`),
      keywords: t(`keywords.${key}`),
      leftSection: <Icon {...icon} />,
      rightSection: shortcut && <Keys keys={['g', shortcut]} />,
      onClick: () => {
        leaveField()
        void router.navigate({ to })
      },
    })),
  }))
}

function useActions(onShowKeys: () => void): SpotlightActionGroupData {
  const { t } = useTranslation()
  const { t: words } = useTranslation('palette')
  const { t: shell } = useTranslation('console/shell')
  const router = useRouter()
  const { setColorScheme } = useMantineColorScheme()
  return {
    group: words('actions'),
    actions: [
      {
        id: 'keys',
        label: t('shortcuts.title'),
        keywords: 'keyboard shortcuts help keys kuaijiejian bangzhu',
        leftSection: <Keyboard {...icon} />,
        rightSection: <Keys keys={['?']} />,
        onClick: onShowKeys,
      },
      {
        id: 'customer',
        label: shell('asCustomer'),
        keywords: 'customer pages dashboard yonghu ziji',
        leftSection: <UserRoundCog {...icon} />,
        onClick: () => void router.navigate({ to: '/user/dashboard' }),
      },
      ...Object.entries(schemes).map(([scheme, Icon]) => ({
        id: scheme,
        label: `${t('account.scheme')}: ${t(`scheme.${scheme as Scheme}`)}`,
        keywords: 'theme dark light waiguan',
        leftSection: <Icon {...icon} />,
        onClick: () => setColorScheme(scheme as Scheme),
      })),
      ...Object.entries(languages).map(([language, label]) => ({
        id: language,
        label: `${t('account.language')}: ${label}`,
        keywords: 'language yuyan',
        leftSection: <Languages {...icon} />,
        onClick: () => void switchLanguage(language as Language),
      })),
      {
        id: 'sign-out',
        label: t('account.signOut'),
        keywords: 'sign out logout tuichu',
        leftSection: <LogOut {...icon} />,
        onClick: () => void router.navigate({ to: '/auth/sign-out' }),
      },
    ],
  }
}
