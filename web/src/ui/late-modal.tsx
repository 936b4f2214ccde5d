import { Modal, type ModalProps } from '@mantine/core'
import { useMounted } from '@mantine/hooks'

/** A dialog whose code comes when it is first opened. */
export function LateModal({ opened, ...props }: ModalProps) {
  // Mounted closed and opened then: only so does Modal see where the focus was, and gives it back.
  const isMounted = useMounted()
  return <Modal {...props} opened={opened && isMounted} />
}
