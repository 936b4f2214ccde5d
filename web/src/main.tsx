import './app/mantine-css'
import './app/global.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app'
import { startI18n } from './app/i18n'
import { createAppRouter } from './app/router'
import { session } from './app/session/current-session'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

await Promise.all([startI18n(), session.start()])

createRoot(root).render(
  <StrictMode>
    <App router={createAppRouter()} />
  </StrictMode>,
)
