import { Modal, type ModalProps } from '@mantine/core'
import { useMounted, useWindowEvent } from '@mantine/hooks'
import { useEffect, useRef } from 'react'

/** The dialogs that are open, the one on top last. */
const open: object[] = []

/** A dialog whose code comes when it is first opened. Escape closes the dialog on top alone. */
export function LateModal({ opened, closeOnEscape = true, ...props }: ModalProps) {
  // Mounted closed and opened then: only so does Modal see where the focus was, and gives it back.
  const isMounted = useMounted()
  useEscape(opened, closeOnEscape ? props.onClose : undefined)
  return <Modal {...props} opened={opened && isMounted} closeOnEscape={false} />
}

/** Modal closes every open one. `close` is left out where the key does nothing. */
function useEscape(isOpen: boolean, close: (() => void) | undefined): void {
  const self = useRef({})
  useEffect(() => {
    const { current } = self
    if (!isOpen) return
    open.push(current)
    return () => void open.splice(open.indexOf(current), 1)
  }, [isOpen])
  useWindowEvent(
    'keydown',
    (event) => {
      const isOfField =
        event.target instanceof Element &&
        event.target.getAttribute('data-mantine-stop-propagation') === 'true'
      if (event.key !== 'Escape' || event.isComposing || isOfField) return
      if (open.at(-1) === self.current) close?.()
    },
    { capture: true },
  )
}
