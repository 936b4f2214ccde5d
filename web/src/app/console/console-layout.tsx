import '../mantine-app-css'
import { ActionIcon } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { Link, Outlet, useRouter } from '@tanstack/react-router'
import { Menu as MenuIcon, Search } from 'lucide-react'
import { type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import '@/features/console/parts/keyed-calls'
import { lazyPart } from '@/lib/lazy-part'
import { useSiteName } from '@/lib/site-name'
import { Logo } from '@/ui/logo'
import { dismissErrors, useIsToasting } from '@/ui/toast'
import { AccountMenu } from '../layouts/account-menu'
import layout from '../layouts/default-layout.module.css'
import { PaletteButton } from '../layouts/palette-button'
import { StatusBars } from '../layouts/status-bars'
import { useShortcuts } from '../layouts/use-shortcuts'
import { ConsoleBottomBar } from './console-bottom-bar'
import { ConsoleNav } from './console-nav'
import classes from './console.module.css'
import { holdKeys } from './hold-keys'
import { NoLongerStaff, RoleNotice } from './role-notice'
import { useAccount } from './use-account'
import { usePages } from './use-pages'
import { useRoleWatch } from './use-role-watch'
import { useStepUp } from '../step-up/use-step-up'

const ConsoleDrawer = lazyPart(() => import('./console-drawer'), 'ConsoleDrawer')
const ConsolePalette = lazyPart(() => import('./console-palette'), 'ConsolePalette')
const ConsoleKeys = lazyPart(() => import('./console-keys'), 'ConsoleKeys')
const StepUpDialog = lazyPart(() => import('../step-up/step-up-dialog'), 'StepUpDialog')
const Toaster = lazyPart(
  () => import('@/ui/toaster').then(({ Toaster: one }) => ({ Toaster: one })),
  'Toaster',
)

/** The staff console, for as long as the member is one. Another member begins with nothing that this one has typed. */
export function ConsoleLayout({ children }: { children?: ReactNode }) {
  return <OfMember key={useAccount()}>{children}</OfMember>
}

function OfMember({ children }: { children: ReactNode }) {
  const refusal = useRoleWatch()
  return refusal ? <NoLongerStaff refusal={refusal} /> : <Shell>{children}</Shell>
}

/** The shell of the console: sidebar from 1280 px, top bar below, bottom bar under 600 px. */
function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const [wasMenuOpened, setMenuOpened] = useState(false)
  const [isMenuOpen, menu] = useDisclosure(false, { onOpen: () => setMenuOpened(true) })
  const [paletteCalls, setPaletteCalls] = useState(0)
  const openPalette = () => {
    holdKeys()
    setPaletteCalls((calls) => calls + 1)
  }
  useHotkeys([['mod+K', openPalette]], [], true)
  const [isHelpOpen, help] = useDisclosure(false)
  useShortcuts(help.open, usePageKeys())
  const isToasting = useIsToasting()
  useErrorsOfPage()
  const stepUp = useStepUp()

  return (
    <div className={layout.shell}>
      <a href="#main" className={layout.skip}>
        {t('skipToContent')}
      </a>
      <aside className={layout.sidebar}>
        <SiteName />
        <PaletteButton onOpen={openPalette} />
        <ConsoleNav />
        <AccountMenu />
      </aside>
      <TopBar onSearch={openPalette} onOpenMenu={menu.open} />
      <div className={layout.page}>
        <StatusBars />
        <RoleNotice />
        <main id="main" tabIndex={-1} className={layout.content}>
          {children ?? <Outlet />}
        </main>
      </div>
      <ConsoleBottomBar onOpenMenu={menu.open} />
      <Suspense>
        {wasMenuOpened && <ConsoleDrawer opened={isMenuOpen} onClose={menu.close} />}
        {paletteCalls > 0 && <ConsolePalette key={paletteCalls} onShowKeys={help.open} />}
        {isHelpOpen && <ConsoleKeys onClose={help.close} />}
        {isToasting && <Toaster />}
        {stepUp && <StepUpDialog onEnd={stepUp} />}
      </Suspense>
    </div>
  )
}

/** What went wrong on a page is not said over the next one. */
function useErrorsOfPage() {
  const router = useRouter()
  useEffect(
    () => router.subscribe('onBeforeLoad', ({ pathChanged }) => pathChanged && dismissErrors()),
    [router],
  )
}

function usePageKeys(): ReadonlyMap<string, string> {
  const pages = usePages()
  return useMemo(
    () =>
      new Map(
        pages
          .flatMap((group) => group.pages)
          .flatMap(({ to, shortcut }) => (shortcut ? [[shortcut, to]] : [])),
      ),
    [pages],
  )
}

function SiteName() {
  const { t } = useTranslation('console/shell')
  const siteName = useSiteName()
  return (
    <Link to="/admin" className={`${layout.home} ${classes.name}`}>
      <Logo name={siteName} />
      <span className={classes.badge}>{t('badge')}</span>
    </Link>
  )
}

/** Below 1280 px, in the place of the sidebar. */
function TopBar({ onSearch, onOpenMenu }: { onSearch: () => void; onOpenMenu: () => void }) {
  const { t } = useTranslation()
  return (
    <nav aria-label={t('nav.bar')} className={layout.topBar}>
      <SiteName />
      <ActionIcon {...iconButton} aria-label={t('palette.open')} onClick={onSearch}>
        <Search size={20} strokeWidth={1.75} />
      </ActionIcon>
      <ActionIcon {...iconButton} aria-label={t('nav.open')} onClick={onOpenMenu}>
        <MenuIcon size={20} strokeWidth={1.75} />
      </ActionIcon>
    </nav>
  )
}

const iconButton = { variant: 'subtle', color: 'gray', c: 'dimmed', size: 44 } as const
