import '@mantine/spotlight/styles.css'
import { useMantineColorScheme } from '@mantine/core'
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight'
import { skipToken, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { Copy, Keyboard, Languages, LogOut, Search } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { userGetMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { linkTokenGet } from '@/lib/api/gen/sdk.gen'
import { copyText } from '@/lib/copy'
import { problemText } from '@/lib/server-problem'
import { toast } from '@/ui/toast'
import { type Language, languages, switchLanguage } from '../i18n'
import { guarded } from '@/lib/lazy-part'
import { navigation } from './navigation'
import { schemes } from './preference-buttons'
import { Keys } from './keys'

const [store, palette] = createSpotlight()
export { store as paletteStore }
const icon = { size: 18, strokeWidth: 1.75 }

/** Every page and action by name, in characters, pinyin or English. */
export function Palette({ onShowShortcuts }: { onShowShortcuts: () => void }) {
  return <PaletteOf actions={[usePages(), useActions(onShowShortcuts)]} />
}

/** A palette of any actions. Opens when it is put on the page. */
export function PaletteOf(props: {
  actions: SpotlightActionGroupData[]
  /** What is typed, where others than the palette hold it. */
  query?: string
  /** Hears what is typed. */
  onQuery?: (query: string) => void
}) {
  const { t } = useTranslation()
  const { t: words } = useTranslation('palette')

  useEffect(() => palette.open(), [])

  return (
    <Spotlight
      store={store}
      actions={props.actions}
      {...(props.query !== undefined && { query: props.query })}
      {...(props.onQuery && { onQueryChange: props.onQuery })}
      shortcut={null}
      centered={false}
      overlayProps={{ backgroundOpacity: 0.4, blur: 0 }}
      attributes={{ content: { 'aria-label': t('palette.open') } }}
      highlightQuery
      scrollable
      maxHeight={420}
      nothingFound={words('nothing')}
      searchProps={{
        leftSection: <Search {...icon} />,
        placeholder: words('placeholder'),
        'aria-label': words('placeholder'),
      }}
    />
  )
}

function usePages(): SpotlightActionGroupData {
  const { t } = useTranslation()
  const { t: words } = useTranslation('palette')
  const { t: keywords } = useTranslation('page-search')
  const router = useRouter()
  const staff = useStaffActions()
  const pages = navigation.flat().map(({ to, key, icon: Icon, shortcut }) => ({
    id: key,
    label: t(`nav.${key}`),
    keywords: keywords(key),
    leftSection: <Icon {...icon} />,
    rightSection: shortcut && <Keys keys={['g', shortcut]} />,
    onClick: () => void router.navigate({ to }),
  }))
  return { group: words('pages'), actions: [...pages, ...staff] }
}

/** What only members of staff find, loaded once the server says that they are. */
function useStaffActions() {
  const { i18n } = useTranslation()
  const router = useRouter()
  const { data: me } = useQuery(userGetMeOptions())
  const role = me?.staff_role || undefined
  const { data: actions = [] } = useQuery({
    queryKey: ['staff-action', role, i18n.language],
    queryFn: role
      ? async () => (await guarded(() => import('./staff-action'))).staffActions(role)
      : skipToken,
  })
  return actions.map(({ to, ...action }) => ({
    ...action,
    onClick: () => void router.navigate({ to }),
  }))
}

function useActions(onShowShortcuts: () => void): SpotlightActionGroupData {
  const { t } = useTranslation()
  const { t: words } = useTranslation('palette')
  const router = useRouter()
  const { setColorScheme } = useMantineColorScheme()
  return {
    group: words('actions'),
    actions: [
      {
        id: 'copy-link',
        label: words('copyLink'),
        keywords: 'copy subscription link fuzhi dingyue lianjie',
        leftSection: <Copy {...icon} />,
        onClick: () => void copyLink(t),
      },
      {
        id: 'shortcuts',
        label: t('shortcuts.title'),
        keywords: 'keyboard shortcuts help keys kuaijiejian bangzhu',
        leftSection: <Keyboard {...icon} />,
        rightSection: <Keys keys={['?']} />,
        onClick: onShowShortcuts,
      },
      ...Object.entries(schemes).map(([scheme, Icon]) => ({
        id: scheme,
        label: `${t('account.scheme')}: ${t(`scheme.${scheme as keyof typeof schemes}`)}`,
        keywords: 'theme dark light waiguan',
        leftSection: <Icon {...icon} />,
        onClick: () => setColorScheme(scheme as keyof typeof schemes),
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

/** The palette closes over this, so that its outcome is shown in a toast. */
async function copyLink(t: TFunction<'common'>): Promise<void> {
  try {
    const { url } = (await linkTokenGet()).data
    const isCopied = await copyText(url)
    await toast(isCopied ? 'success' : 'error', t(isCopied ? 'linkCopied' : 'notCopied'))
  } catch (error) {
    await toast('error', problemText(error, t))
  }
}
