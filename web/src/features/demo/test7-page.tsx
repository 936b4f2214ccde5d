import { Alert, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { messageColors } from '@/lib/constants'
import { Confirm } from '@/ui/confirm'
import { Dialog } from '@/ui/dialog'
import { FormDone } from '@/ui/form-done'
import { FormError } from '@/ui/form-error'
import { Part } from './components/part'
import { TestPage } from './components/test-page'

const kinds = ['error', 'success', 'warning', 'info'] as const

/** What the app tells: each meaning with its colour, and the two kinds of dialogs. */
export function Test7Page() {
  const { t } = useTranslation('demo')
  const [opened, setOpened] = useState<'confirm' | 'dialog'>()
  const close = () => setOpened(undefined)
  return (
    <TestPage name="test7">
      {kinds.map((kind) => (
        <Alert key={kind} color={messageColors[kind]} title={t(`tone.${kind}`)}>
          {t(`message.${kind}`)}
        </Alert>
      ))}
      <Part title={t('title.test4')}>
        <FormError message={t('message.error')} />
        <FormDone message={t('message.success')} />
      </Part>
      <Group>
        <Button variant="default" onClick={() => setOpened('dialog')}>
          {t('open')}
        </Button>
        <Button color="red" onClick={() => setOpened('confirm')}>
          {t('ask')}
        </Button>
      </Group>
      {opened === 'dialog' && (
        <Dialog title={t('open')} onClose={close}>
          <Text>{t('dialogText')}</Text>
        </Dialog>
      )}
      <Confirm
        opened={opened === 'confirm'}
        title={t('ask')}
        consequence={t('askText')}
        action={t('danger')}
        onConfirm={() => Promise.resolve()}
        onClose={close}
      />
    </TestPage>
  )
}
