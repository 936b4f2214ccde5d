import '../mantine-app-css'
import { ActionIcon } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { Link, Outlet } from '@tanstack/react-router'
import { Menu as MenuIcon, Search } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '@/lib/lazy-part'
import { useSession } from '@/lib/session/current-session'
import { useSiteName } from '@/lib/site-name'
import { Logo } from '@/ui/logo'
import { useIsToasting } from '@/ui/toast'
import { useChat } from '../chat/use-chat'
import { useStepUp } from '../step-up/use-step-up'
import { AccountMenu } from './account-menu'
import { AnnouncementBell } from './announcement-bell'
import { BottomBar } from './bottom-bar'
import classes from './default-layout.module.css'
import { Footer } from './footer'
import { UserMaintenance } from './maintenance'
import { NavList } from './nav-list'
import { PaletteButton } from './palette-button'
import { StatusBars } from './status-bars'
import { useShortcuts } from './use-shortcuts'
import { useUnread } from './use-unread'

const NavDrawer = lazyPart(() => import('./nav-drawer'), 'NavDrawer')
const Toaster = lazyPart(
  () => import('@/ui/toaster').then(({ Toaster: one }) => ({ Toaster: one })),
  'Toaster',
)
const ShortcutsDialog = lazyPart(() => import('./shortcuts-dialog'), 'ShortcutsDialog')
const PopUps = lazyPart(() => import('./pop-ups'), 'PopUps')
const Palette = lazyPart(() => import('./palette'), 'Palette')
const VisitBar = lazyPart(() => import('./visit-bar'), 'VisitBar')
const StepUpDialog = lazyPart(() => import('../step-up/step-up-dialog'), 'StepUpDialog')

/** The shell of the signed-in pages: sidebar from 1280 px, top bar below, bottom bar under 600 px. */
export function DefaultLayout({ children }: { children?: ReactNode }) {
  const { t } = useTranslation()
  const siteName = useSiteName()
  const [wasMenuOpened, setMenuOpened] = useState(false)
  const [isMenuOpen, menu] = useDisclosure(false, { onOpen: () => setMenuOpened(true) })
  const [paletteCalls, setPaletteCalls] = useState(0)
  const openPalette = () => setPaletteCalls((calls) => calls + 1)
  useHotkeys([['mod+K', openPalette]], [], true)
  const [isHelpOpen, help] = useDisclosure(false)
  useShortcuts(help.open)
  useChat()
  const isToasting = useIsToasting()
  const unread = useUnread()
  const stepUp = useStepUp()
  const user = useSession()
  const isVisit = user.status === 'authenticated' && user.user.by_staff

  return (
    <div className={classes.shell}>
      <a href="#main" className={classes.skip}>
        {t('skipToContent')}
      </a>
      {isVisit && (
        <Suspense>
          <VisitBar />
        </Suspense>
      )}
      <aside className={classes.sidebar}>
        <div className={classes.top}>
          <Link to="/user/dashboard" className={classes.home}>
            <Logo name={siteName} />
          </Link>
          <AnnouncementBell />
        </div>
        <PaletteButton onOpen={openPalette} />
        <NavList />
        <AccountMenu />
      </aside>
      <TopBar onSearch={openPalette} onOpenMenu={menu.open} />
      <div className={classes.page}>
        <StatusBars />
        <UserMaintenance list={unread?.maintenance} />
        <main id="main" tabIndex={-1} className={classes.content}>
          {children ?? <Outlet />}
        </main>
        <Footer />
      </div>
      <BottomBar onOpenMenu={menu.open} />
      <Suspense>
        {wasMenuOpened && <NavDrawer opened={isMenuOpen} onClose={menu.close} />}
        {paletteCalls > 0 && <Palette key={paletteCalls} onShowShortcuts={help.open} />}
        {isHelpOpen && <ShortcutsDialog onClose={help.close} />}
        {isToasting && <Toaster />}
        {stepUp && <StepUpDialog onEnd={stepUp} />}
        {unread && unread.pop_ups.length > 0 && <PopUps list={unread.pop_ups} />}
      </Suspense>
    </div>
  )
}

/** Below 1280 px, in the place of the sidebar. */
function TopBar({ onSearch, onOpenMenu }: { onSearch: () => void; onOpenMenu: () => void }) {
  const { t } = useTranslation()
  const siteName = useSiteName()
  return (
    <nav aria-label={t('nav.bar')} className={classes.topBar}>
      <Link to="/user/dashboard" className={classes.home}>
        <Logo name={siteName} />
      </Link>
      <AnnouncementBell />
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
