type Rules = {
  createHTML(html: string, type?: string, sink?: string): string
  createScriptURL(url: string): string
}

declare global {
  interface Window {
    /** Absent in browsers without Trusted Types. */
    trustedTypes?: { createPolicy(name: string, rules: Rules): unknown }
  }
}

const PARSER = 'DOMParser parseFromString'

/**
 * What texts may become markup and scripts. The server's policy has the browser ask these rules, which it knows by the
 * name `default`, and lets nobody make others (internal/api/web).
 */
export const rules: Rules = {
  // Style sheets, and the nothing that empties an element: without `<` there is no element in it. A document that
  // DOMParser makes is shown to nobody, loads nothing and runs nothing; who reads it makes elements of their own.
  createHTML(html, _type, sink) {
    if (sink !== PARSER && html.includes('<')) throw new TypeError('Text as markup')
    return html
  },

  createScriptURL(url) {
    const { origin, pathname, href } = new URL(url, location.href)
    if (origin !== location.origin || !/^\/(assets\/|service-worker\.js$)/.test(pathname)) {
      throw new TypeError('Foreign script')
    }
    return href
  },
}

window.trustedTypes?.createPolicy('default', rules)
