import { Button, Group, Stack, Text } from '@mantine/core'
import { type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '@/lib/lazy-part'
import { problemText } from '@/lib/server-problem'
import { FormError } from './form-error'

const LateModal = lazyPart(() => import('./late-modal'), 'LateModal')

/**
 * Asks before something that can't be taken back. `consequence` says in words what will happen;
 * the dialog closes when `onConfirm` has succeeded and shows the problem when it has not.
 */
export function Confirm(props: {
  opened: boolean
  title: string
  consequence: string
  /** Facts to decide by, between the consequence and the buttons. */
  details?: ReactNode
  /** A verb: what the button does. */
  action: string
  onConfirm: () => Promise<unknown>
  /** What takes the button's place after a problem that another try cannot solve; undefined: the button stays. */
  alternative?: (problem: unknown) => ReactNode
  onClose: () => void
}) {
  const { t } = useTranslation()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const [wasOpened, setWasOpened] = useState(props.opened)
  if (props.opened && !wasOpened) setWasOpened(true)

  const confirm = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      await props.onConfirm()
      props.onClose()
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }

  if (!wasOpened) return null
  return (
    <Suspense>
      <LateModal
        opened={props.opened}
        onClose={props.onClose}
        title={props.title}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        <Stack gap="md">
          <Text>{props.consequence}</Text>
          {props.details}
          <FormError message={problem === undefined ? undefined : problemText(problem, t)} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={props.onClose} data-autofocus>
              {t('cancel')}
            </Button>
            {(problem !== undefined && props.alternative?.(problem)) || (
              <Button color="red" loading={isBusy} onClick={() => void confirm()}>
                {props.action}
              </Button>
            )}
          </Group>
        </Stack>
      </LateModal>
    </Suspense>
  )
}
