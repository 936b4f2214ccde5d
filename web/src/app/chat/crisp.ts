import type { CrispDataResult } from '@/lib/api/gen/types.gen'

declare global {
  interface Window {
    /** Commands wait here for Crisp's script, which takes them over when it is there. */
    $crisp?: { push: (command: unknown[]) => unknown }
    CRISP_WEBSITE_ID?: string
    CRISP_RUNTIME_CONFIG?: { locale: string }
  }
}

const SCRIPT = 'https://client.crisp.chat/l.js'

const push = (...command: unknown[]) => window.$crisp?.push(command)

/** Crisp's chat box, by its own script: https://docs.crisp.chat/guides/chatbox-sdks/web-sdk/dollar-crisp/ */
export const crisp = {
  /** Loads the script, once. Where the network bars it nothing else suffers. */
  load(websiteId: string) {
    if (window.$crisp) return
    const commands: unknown[][] = []
    window.$crisp = commands
    window.CRISP_WEBSITE_ID = websiteId
    window.CRISP_RUNTIME_CONFIG = { locale: document.documentElement.lang.slice(0, 2) }
    const script = document.createElement('script')
    script.src = SCRIPT
    script.async = true
    document.head.append(script)
  },

  tellUser(data: CrispDataResult) {
    push('set', 'user:email', [data.user_email])
    push('set', 'user:nickname', [data.user_nickname])
    push('set', 'session:data', [data.session_data])
  },

  /** Unbinds this browser from the conversation, which stays with support. */
  forgetUser() {
    push('do', 'session:reset')
  },
}
