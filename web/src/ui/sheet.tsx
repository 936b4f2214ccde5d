import { Drawer, type DrawerProps } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'

/** A drawer that is mounted when it is first opened. Mantine's does not see that opening, so the focus goes back from here. */
export function Sheet(props: DrawerProps) {
  const { t } = useTranslation()
  const [before] = useState(() => document.activeElement)
  return (
    <Drawer
      closeButtonProps={{ 'aria-label': t('close') }}
      onExitTransitionEnd={() => {
        const isStillInside = document.activeElement?.matches('body, [role=dialog] *')
        if (isStillInside && before instanceof HTMLElement) before.focus({ preventScroll: true })
      }}
      {...props}
    />
  )
}
