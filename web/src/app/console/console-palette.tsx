import { useMantineColorScheme } from '@mantine/core'
import type { SpotlightActionGroupData } from '@mantine/spotlight'
import { useRouter } from '@tanstack/react-router'
import { Keyboard, Languages, LogOut, UserRoundCog } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { type Language, languages, switchLanguage } from '../i18n'
import { Keys } from '../layouts/keys'
import { PaletteOf } from '../layouts/palette'
import { type Scheme, schemes } from '../layouts/preference-buttons'
import { usePages } from './use-pages'

const icon = { size: 18, strokeWidth: 1.75 }

/** Every page and action of the console by name. */
export function ConsolePalette({ onShowKeys }: { onShowKeys: () => void }) {
  return <PaletteOf actions={[...usePageGroups(), useActions(onShowKeys)]} />
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
      onClick: () => void router.navigate({ to }),
    })),
  }))
}

function useActions(onShowKeys: () => void): SpotlightActionGroupData {
  const { t } = useTranslation()
  const { t: shell } = useTranslation('console/shell')
  const router = useRouter()
  const { setColorScheme } = useMantineColorScheme()
  return {
    group: t('palette.actions'),
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
