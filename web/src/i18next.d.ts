import type announcement from './locales/zh-CN/announcement.json'
import type about from './locales/zh-CN/open/about.json'
import type developer from './locales/zh-CN/developer.json'
import type demo from './locales/zh-CN/demo.json'
import type account from './locales/zh-CN/open/account.json'
import type captcha from './locales/zh-CN/open/captcha.json'
import type visit from './locales/zh-CN/visit.json'
import type entry from './locales/zh-CN/open/entry.json'
import type common from './locales/zh-CN/open/common.json'
import type wallet from './locales/zh-CN/wallet.json'
import type shop from './locales/zh-CN/shop.json'
import type service from './locales/zh-CN/service.json'
import type audit from './locales/zh-CN/audit.json'
import type order from './locales/zh-CN/order.json'
import type node from './locales/zh-CN/node.json'
import type notices from './locales/zh-CN/notices.json'
import type invite from './locales/zh-CN/invite.json'
import type guide from './locales/zh-CN/guide.json'
import type home from './locales/zh-CN/home.json'
import type share from './locales/zh-CN/share.json'
import type staff from './locales/zh-CN/staff.json'
import type repeat from './locales/zh-CN/repeat.json'
import type stepUp from './locales/zh-CN/step-up.json'
import type setupSteps from './locales/zh-CN/setup/steps.json'
import type security from './locales/zh-CN/security.json'
import type passkey from './locales/zh-CN/open/passkey.json'
import type telegram from './locales/zh-CN/open/telegram.json'
import type ticket from './locales/zh-CN/ticket.json'
import type palette from './locales/zh-CN/palette.json'
import type pageSearch from './locales/zh-CN/page-search.json'
import type traffic from './locales/zh-CN/traffic.json'
import type consoleShell from './locales/zh-CN/console/shell.json'
import type consoleParts from './locales/zh-CN/console/parts.json'
import type consoleTicket from './locales/zh-CN/console/ticket.json'
import type consoleTraffic from './locales/zh-CN/console/traffic.json'
import type consoleMedia from './locales/zh-CN/console/media.json'
import type consoleOrder from './locales/zh-CN/console/order.json'
import type consoleOverview from './locales/zh-CN/console/overview.json'
import type consoleReconciliation from './locales/zh-CN/console/reconciliation.json'
import type consoleLedger from './locales/zh-CN/console/ledger.json'
import type consoleMoneyDetail from './locales/zh-CN/console/money-detail.json'
import type consoleMoney from './locales/zh-CN/console/money.json'
import type consoleCoupon from './locales/zh-CN/console/coupon.json'
import type consoleCdkey from './locales/zh-CN/console/cdkey.json'
import type consoleGateway from './locales/zh-CN/console/gateway.json'
import type consoleShop from './locales/zh-CN/console/shop.json'
import type consoleUserImport from './locales/zh-CN/console/user-import.json'
import type consoleUserTabs from './locales/zh-CN/console/user-tabs.json'
import type consoleUser from './locales/zh-CN/console/user.json'
import type consoleBulk from './locales/zh-CN/console/bulk.json'
import type consoleMail from './locales/zh-CN/console/mail.json'
import type consoleSystem from './locales/zh-CN/console/system.json'
import type consoleUserActions from './locales/zh-CN/console/user-actions.json'
import type consoleGuard from './locales/zh-CN/console/guard.json'
import type consoleLink from './locales/zh-CN/console/link.json'
import type consoleNode from './locales/zh-CN/console/node.json'
import type consoleContent from './locales/zh-CN/console/content.json'
import type consoleInvite from './locales/zh-CN/console/invite.json'
import type consoleApiKey from './locales/zh-CN/console/api-key.json'
import type consoleTeam from './locales/zh-CN/console/team.json'
import type consoleWebhook from './locales/zh-CN/console/webhook.json'
import type consoleTrust from './locales/zh-CN/console/trust.json'
import type consoleSupport from './locales/zh-CN/console/support.json'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common'
    resources: {
      about: typeof about
      announcement: typeof announcement
      developer: typeof developer
      demo: typeof demo
      account: typeof account
      captcha: typeof captcha
      visit: typeof visit
      entry: typeof entry
      common: typeof common
      wallet: typeof wallet
      shop: typeof shop
      service: typeof service
      audit: typeof audit
      node: typeof node
      palette: typeof palette
      'page-search': typeof pageSearch
      notices: typeof notices
      order: typeof order
      guide: typeof guide
      home: typeof home
      invite: typeof invite
      security: typeof security
      'setup/steps': typeof setupSteps
      share: typeof share
      staff: typeof staff
      repeat: typeof repeat
      'step-up': typeof stepUp
      passkey: typeof passkey
      telegram: typeof telegram
      ticket: typeof ticket
      traffic: typeof traffic
      'console/order': typeof consoleOrder
      'console/overview': typeof consoleOverview
      'console/ticket': typeof consoleTicket
      'console/traffic': typeof consoleTraffic
      'console/parts': typeof consoleParts
      'console/ledger': typeof consoleLedger
      'console/reconciliation': typeof consoleReconciliation
      'console/media': typeof consoleMedia
      'console/money': typeof consoleMoney
      'console/money-detail': typeof consoleMoneyDetail
      'console/mail': typeof consoleMail
      'console/system': typeof consoleSystem
      'console/trust': typeof consoleTrust
      'console/content': typeof consoleContent
      'console/guard': typeof consoleGuard
      'console/link': typeof consoleLink
      'console/node': typeof consoleNode
      'console/support': typeof consoleSupport
      'console/invite': typeof consoleInvite
      'console/api-key': typeof consoleApiKey
      'console/team': typeof consoleTeam
      'console/webhook': typeof consoleWebhook
      'console/coupon': typeof consoleCoupon
      'console/cdkey': typeof consoleCdkey
      'console/gateway': typeof consoleGateway
      'console/shop': typeof consoleShop
      'console/user': typeof consoleUser
      'console/user-import': typeof consoleUserImport
      'console/user-tabs': typeof consoleUserTabs
      'console/bulk': typeof consoleBulk
      'console/user-actions': typeof consoleUserActions
      'console/shell': typeof consoleShell
    }
  }
}
