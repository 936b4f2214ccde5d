import type { LinkProps } from '@tanstack/react-router'
import { LayoutDashboard, type LucideIcon } from 'lucide-react'
import type common from '../../locales/zh-CN/common.json'

type NavItem = {
  to: NonNullable<LinkProps['to']>
  /** Its name and search words are `nav.<key>` and `navKeywords.<key>` of the common texts. */
  key: keyof (typeof common)['navKeywords']
  icon: LucideIcon
  /** One of the four pages beside "me" on a phone's bottom bar. */
  isOnBottomBar?: boolean
}

/** The pages of the sidebar, the menu, the bottom bar and the palette, in groups. */
export const navigation: NavItem[][] = [
  [{ to: '/user/dashboard', key: 'dashboard', icon: LayoutDashboard, isOnBottomBar: true }],
]
