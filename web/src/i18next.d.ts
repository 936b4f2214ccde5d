import type account from './locales/zh-CN/account.json'
import type common from './locales/zh-CN/common.json'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common'
    resources: {
      account: typeof account
      common: typeof common
    }
  }
}
