import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '@/lib/lazy-part'

const LateModal = lazyPart(() => import('./late-modal'), 'LateModal')

/**
 * A dialog that is open for as long as it is rendered. With `isHeld` only its content closes it: no key, no click outside
 * and no close button ends what is shown once.
 */
export function Dialog(props: {
  title: string
  isHeld?: boolean
  onClose: () => void
  children: ReactNode
}) {
  const { t } = useTranslation()
  useFocusBack()
  return (
    <Suspense>
      <LateModal
        opened
        onClose={props.onClose}
        title={props.title}
        closeOnEscape={!props.isHeld}
        closeOnClickOutside={!props.isHeld}
        withCloseButton={!props.isHeld}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {props.children}
      </LateModal>
    </Suspense>
  )
}

/** The focus goes back to where it was. Modal does that only when it is closed, not when it is taken away. */
function useFocusBack() {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (before instanceof HTMLElement) before.focus()
    },
    [before],
  )
}
