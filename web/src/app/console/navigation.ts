import type { LinkProps } from '@tanstack/react-router'
import {
  Activity,
  AppWindow,
  Ban,
  BanknoteArrowDown,
  BanknoteArrowUp,
  BookOpen,
  BookText,
  ChartColumn,
  FileCode2,
  HandCoins,
  IdCard,
  Scale,
  KeyRound,
  KeySquare,
  Landmark,
  LayoutDashboard,
  Link2,
  ListChecks,
  type LucideIcon,
  ListTodo,
  Mail,
  MailOpen,
  Megaphone,
  MessageSquareQuote,
  MessagesSquare,
  Package,
  PackageCheck,
  Receipt,
  ScrollText,
  Server,
  ShieldCheck,
  Cog,
  Stamp,
  TicketPercent,
  TriangleAlert,
  RotateCcwSquare,
  UserCog,
  Users,
  Waypoints,
} from 'lucide-react'
import type shell from '@/locales/zh-CN/console/shell.json'

type ConsolePage = {
  to: NonNullable<LinkProps['to']>
  /** Its name and search words are `page.<key>` and `keywords.<key>` of the shell's texts. */
  key: keyof (typeof shell)['page']
  icon: LucideIcon
  /** What a member needs to see it; without it the page does not exist for them. Absent: for all staff. */
  permission?: string
  /** `g` and this letter lead to it. */
  shortcut?: string
  /** One of the four pages next to the menu on a phone's bottom bar. */
  isOnBottomBar?: boolean
}

/** The console's pages in the groups of its sidebar. A new page is a line here. */
export const consolePages: { group: keyof (typeof shell)['group']; pages: ConsolePage[] }[] = [
  {
    group: 'attention',
    pages: [
      {
        to: '/admin',
        key: 'overview',
        icon: LayoutDashboard,
        permission: 'overview.read',
        shortcut: 'o',
        isOnBottomBar: true,
      },
      {
        to: '/admin/approvals',
        key: 'approvals',
        icon: Stamp,
        permission: 'approval.read',
        shortcut: 'v',
      },
    ],
  },
  {
    group: 'customers',
    pages: [
      {
        to: '/admin/users',
        key: 'users',
        icon: Users,
        permission: 'user.read',
        shortcut: 'u',
        isOnBottomBar: true,
      },
      {
        to: '/admin/invites',
        key: 'invites',
        icon: HandCoins,
        permission: 'money.refund.read',
      },
      { to: '/admin/services', key: 'services', icon: PackageCheck, permission: 'user.read' },
      { to: '/admin/bulk-jobs', key: 'bulkJobs', icon: ListChecks, permission: 'user.bulk' },
    ],
  },
  {
    group: 'shop',
    pages: [
      { to: '/admin/plans', key: 'plans', icon: Package, permission: 'plan.read' },
      { to: '/admin/coupons', key: 'coupons', icon: TicketPercent, permission: 'coupon.read' },
      { to: '/admin/cd-keys', key: 'cdkeys', icon: KeySquare, permission: 'cdkey.read' },
      {
        to: '/admin/orders',
        key: 'orders',
        icon: ScrollText,
        permission: 'order.read',
        shortcut: 'b',
      },
    ],
  },
  {
    group: 'money',
    pages: [
      { to: '/admin/gateways', key: 'gateways', icon: Landmark, permission: 'gateway.read' },
      {
        to: '/admin/recharges',
        key: 'recharges',
        icon: BanknoteArrowDown,
        permission: 'recharge.read',
        shortcut: 'p',
        isOnBottomBar: true,
      },
      {
        to: '/admin/payment-cases',
        key: 'cases',
        icon: TriangleAlert,
        permission: 'payment.case.read',
      },
      {
        to: '/admin/refunds',
        key: 'refunds',
        icon: RotateCcwSquare,
        permission: 'money.refund.read',
      },
      {
        to: '/admin/payouts',
        key: 'payouts',
        icon: BanknoteArrowUp,
        permission: 'money.commission.pay',
      },
      { to: '/admin/invoices', key: 'invoices', icon: Receipt, permission: 'money.ledger.read' },
      { to: '/admin/ledger', key: 'ledger', icon: BookText, permission: 'money.ledger.read' },
      {
        to: '/admin/reconciliation',
        key: 'reconciliation',
        icon: Scale,
        permission: 'money.ledger.read',
      },
      {
        to: '/admin/settlements',
        key: 'settlements',
        icon: Landmark,
        permission: 'money.ledger.read',
      },
      {
        to: '/admin/commissions',
        key: 'commissions',
        icon: HandCoins,
        permission: 'money.refund.read',
      },
    ],
  },
  {
    group: 'network',
    pages: [
      { to: '/admin/nodes', key: 'nodes', icon: Server, permission: 'node.read', shortcut: 'e' },
      { to: '/admin/node-groups', key: 'nodeGroups', icon: Waypoints, permission: 'node.read' },
      { to: '/admin/audit-rules', key: 'rules', icon: ShieldCheck, permission: 'node.rule.read' },
      {
        to: '/admin/blocked-addresses',
        key: 'blocked',
        icon: Ban,
        permission: 'node.blocked_address.read',
      },
      {
        to: '/admin/traffic',
        key: 'traffic',
        icon: ChartColumn,
        permission: 'traffic.total.read',
      },
      {
        to: '/admin/anomalies',
        key: 'anomalies',
        icon: Activity,
        permission: 'user.history.read',
      },
      {
        to: '/admin/link-templates',
        key: 'templates',
        icon: FileCode2,
        permission: 'link.template.read',
      },
      { to: '/admin/clients', key: 'clients', icon: AppWindow, permission: 'client.read' },
      { to: '/admin/link-fetches', key: 'fetches', icon: Link2, permission: 'user.history.read' },
    ],
  },
  {
    group: 'support',
    pages: [
      {
        to: '/admin/tickets',
        key: 'tickets',
        icon: MessagesSquare,
        permission: 'ticket.read',
        shortcut: 't',
        isOnBottomBar: true,
      },
      {
        to: '/admin/announcements',
        key: 'announcements',
        icon: Megaphone,
        permission: 'announcement.read',
        shortcut: 'n',
      },
      { to: '/admin/guides', key: 'guides', icon: BookOpen, permission: 'guide.read' },
      {
        to: '/admin/canned-answers',
        key: 'canned',
        icon: MessageSquareQuote,
        permission: 'ticket.read',
      },
      {
        to: '/admin/share-accounts',
        key: 'shares',
        icon: KeyRound,
        permission: 'shareaccount.read',
      },
    ],
  },
  {
    group: 'system',
    pages: [
      {
        to: '/admin/settings',
        key: 'settings',
        icon: Cog,
        permission: 'setting.read',
        shortcut: 's',
      },
      { to: '/admin/staff', key: 'staff', icon: UserCog, permission: 'staff.member.read' },
      { to: '/admin/roles', key: 'roles', icon: IdCard, permission: 'staff.member.read' },
      { to: '/admin/audit-log', key: 'auditLog', icon: ScrollText, permission: 'audit.read' },
      { to: '/admin/jobs', key: 'jobs', icon: ListTodo, permission: 'job.read' },
      { to: '/admin/api-keys', key: 'apiKeys', icon: KeyRound, permission: 'api_key.read' },
      { to: '/admin/webhooks', key: 'webhooks', icon: Waypoints, permission: 'webhook.read' },
      { to: '/admin/mails', key: 'mails', icon: Mail, permission: 'mail.read' },
      {
        to: '/admin/mail-templates',
        key: 'mailTemplates',
        icon: MailOpen,
        permission: 'mail.template.read',
      },
      { to: '/admin/system', key: 'system', icon: Server, permission: 'system.read' },
    ],
  },
]

/** The first page that a member may read; none where their role has no page. */
export const firstPage = (may: (permission: string) => boolean): ConsolePage | undefined =>
  consolePages
    .flatMap(({ pages }) => pages)
    .find(({ permission }) => permission === undefined || may(permission))

/** The page that an address belongs to: itself, or the one that it lies below. */
export function pageAt(path: string): ConsolePage | undefined {
  return consolePages
    .flatMap(({ pages }) => pages)
    .toSorted((one, other) => other.to.length - one.to.length)
    .find(({ to }) => path === to || path.startsWith(`${to}/`))
}
