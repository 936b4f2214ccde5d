import './app/trusted-types'
import './app/mantine-css'
import './app/global.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app'
import { siteOptions } from './lib/api/site'
import { startI18n } from './app/i18n'
import { keepFocus } from './app/keep-focus'
import { lookOf } from './app/look'
import { queryClient } from './app/query-client'
import { createAppRouter } from './app/router'
import { session } from './lib/session/current-session'

const root = document.getElementById('root')
if (!root) throw new Error('No #root in the page')

// What the site says of itself shapes its pages, so nothing moves when it is there first.
const look = queryClient
  .prefetchQuery(siteOptions())
  .then(() => lookOf(queryClient.getQueryData(siteOptions().queryKey)?.look.accent))

await Promise.all([startI18n(), session.start(), look])

keepFocus()
createRoot(root).render(
  <StrictMode>
    <App router={createAppRouter()} look={await look} />
  </StrictMode>,
)
