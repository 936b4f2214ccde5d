import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { siteOptions } from '@/lib/api/site'
import { DEFAULT_COLOR_SCHEME } from '@/lib/constants'
import { ThemeColor } from './theme-color'
import { queryClient } from './query-client'
import type { createAppRouter } from './router'
import { type Look, lookOf } from './look'

const colorScheme = localStorageColorSchemeManager({ key: 'color-scheme' })

const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? ''
// The scroll lock under dialogs writes a style of its own and looks for its nonce here.
Object.assign(globalThis, { __webpack_nonce__: nonce })

export function App(props: {
  router: ReturnType<typeof createAppRouter>
  /** The look that the first paint has. */
  look: Look
}) {
  return (
    <QueryClientProvider client={queryClient}>
      <Colours first={props.look}>
        <ThemeColor />
        <Suspense>
          <RouterProvider router={props.router} />
        </Suspense>
      </Colours>
    </QueryClientProvider>
  )
}

/** The colours of the site, which follow what staff save in the settings. */
function Colours({ first, children }: { first: Look; children: ReactNode }) {
  const accent = useQuery(siteOptions()).data?.look.accent
  const [look, setLook] = useState(first)
  useEffect(() => {
    void lookOf(accent).then(setLook)
  }, [accent])
  return (
    <MantineProvider
      theme={look.theme}
      cssVariablesResolver={look.variables}
      colorSchemeManager={colorScheme}
      defaultColorScheme={DEFAULT_COLOR_SCHEME}
      getStyleNonce={() => nonce}
    >
      {children}
    </MantineProvider>
  )
}
