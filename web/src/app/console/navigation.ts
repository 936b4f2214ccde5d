import type { LinkProps } from '@tanstack/react-router'
import { LayoutDashboard, type LucideIcon, MessagesSquare } from 'lucide-react'
import type shell from '@/locales/zh-CN/console/shell.json'

export type ConsolePage = {
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
        shortcut: 'o',
        isOnBottomBar: true,
      },
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
    ],
  },
]

/** The page that an address belongs to: itself, or the one that it lies below. */
export function pageAt(path: string): ConsolePage | undefined {
  return consolePages
    .flatMap(({ pages }) => pages)
    .toSorted((one, other) => other.to.length - one.to.length)
    .find(({ to }) => path === to || path.startsWith(`${to}/`))
}
