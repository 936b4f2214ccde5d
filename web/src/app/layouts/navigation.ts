import type { LinkProps } from '@tanstack/react-router'
import {
  Bell,
  BookOpen,
  CalendarClock,
  ChartNoAxesCombined,
  CircleUser,
  CodeXml,
  CreditCard,
  Gift,
  FileText,
  Globe,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  Megaphone,
  MessagesSquare,
  Package,
  RotateCcw,
  ShieldCheck,
  ShoppingBag,
  TicketCheck,
  Wallet,
} from 'lucide-react'
import type keywords from '@/locales/zh-CN/page-search.json'

type NavItem = {
  to: NonNullable<LinkProps['to']>
  /** Its name is `nav.<key>` of the common texts, its search words are `<key>` of the palette's own. */
  key: keyof typeof keywords
  icon: LucideIcon
  /** Not current on the pages below it, which have entries of their own. */
  isExact?: boolean
  /** The old face of another page, or one that a page above it leads to: the palette finds it, the lists leave it out. */
  isOnlyFound?: boolean
  /** `g` and this letter lead to it. */
  shortcut?: string
  /** How many things in it are new is counted next to its name. */
  hasUnread?: boolean
  /** One of the four pages next to "me" on a phone's bottom bar. */
  isOnBottomBar?: boolean
}

/** The pages of the sidebar, the menu, the bottom bar and the palette, in groups. */
export const navigation: NavItem[][] = [
  [
    {
      to: '/user/dashboard',
      key: 'dashboard',
      icon: LayoutDashboard,
      shortcut: 'd',
      isOnBottomBar: true,
    },
    { to: '/user/announcements/announcements', key: 'announcements', icon: Megaphone },
    { to: '/user/guides', key: 'guides', icon: BookOpen },
  ],
  [
    {
      to: '/user/services',
      key: 'services',
      icon: Package,
      shortcut: 's',
      isExact: true,
      isOnBottomBar: true,
    },
    { to: '/user/services/buy', key: 'buy', icon: ShoppingBag, shortcut: 'b' },
    { to: '/user/services/renewals', key: 'renewals', icon: CalendarClock },
    { to: '/user/services-old', key: 'servicesOld', icon: Package, isOnlyFound: true },
    { to: '/user/shop-old', key: 'shopOld', icon: ShoppingBag, isOnlyFound: true },
    { to: '/user/nodes', key: 'nodes', icon: Globe, shortcut: 'n' },
    { to: '/user/subscribe-log-chart', key: 'traffic', icon: ChartNoAxesCombined, shortcut: 'u' },
    {
      to: '/user/subscribe-log-detail',
      key: 'trafficLog',
      icon: ChartNoAxesCombined,
      isOnlyFound: true,
    },
    { to: '/user/share-accounts', key: 'shareAccounts', icon: KeyRound },
    { to: '/user/connection-reset', key: 'connectionReset', icon: RotateCcw },
    { to: '/user/audit', key: 'audit', icon: ShieldCheck },
    { to: '/user/audit/view', key: 'auditLog', icon: ShieldCheck, isOnlyFound: true },
  ],
  [
    { to: '/user/wallet', key: 'wallet', icon: Wallet, shortcut: 'w', isOnBottomBar: true },
    { to: '/user/wallet/recharge', key: 'recharges', icon: CreditCard, isOnlyFound: true },
    { to: '/user/wallet/recharge/cd-key', key: 'cdKey', icon: TicketCheck, isOnlyFound: true },
    { to: '/user/wallet/billing', key: 'billing', icon: FileText, isOnlyFound: true },
    {
      to: '/user/wallet/purchase-records-old',
      key: 'purchasesOld',
      icon: ShoppingBag,
      isOnlyFound: true,
    },
    { to: '/user/promote', key: 'promote', icon: Gift },
  ],
  [
    {
      to: '/user/tickets',
      key: 'tickets',
      icon: MessagesSquare,
      shortcut: 't',
      isOnBottomBar: true,
      hasUnread: true,
    },
    { to: '/user/tickets/new', key: 'newTicket', icon: MessagesSquare, isOnlyFound: true },
  ],
  [
    { to: '/user/my-account', key: 'account', icon: CircleUser, shortcut: 'a' },
    { to: '/user/account/notices', key: 'notices', icon: Bell, isOnlyFound: true },
    { to: '/user/developer', key: 'developer', icon: CodeXml },
  ],
]
