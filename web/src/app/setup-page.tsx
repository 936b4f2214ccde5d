import { SetupSteps } from '@/features/account/setup-steps'
import { addTexts, loadTexts } from './i18n'
import { WebSiteLayout2 } from './layouts/web-site-layout2'

// Texts that one site reads once: no other page names them.
addTexts(import.meta.glob('../locales/*/setup/*.json', { import: 'default' }))
await loadTexts('setup/steps')

/** Where a site without an owner begins. */
export function SetupPage() {
  return (
    <WebSiteLayout2>
      <SetupSteps />
    </WebSiteLayout2>
  )
}
