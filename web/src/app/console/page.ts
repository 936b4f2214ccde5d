import type { LinkProps } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
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
  /** Found by its name and linked from another page, but no line of the menu. */
  isOffMenu?: boolean
  /** One of the four pages next to the menu on a phone's bottom bar. */
  isOnBottomBar?: boolean
}
