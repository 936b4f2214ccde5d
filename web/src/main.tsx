import './app/mantine-css'
import './app/global.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app'
import { focusOnNavigation } from './app/focus-on-navigation'
import { followSession } from './app/follow-session'
import { startI18n } from './app/i18n'
import { queryClient } from './app/query-client'
import { router } from './app/router'
import { session } from './app/session/current-session'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

await Promise.all([startI18n(), session.start()])
followSession(session, queryClient, router)
focusOnNavigation(router)

createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
