import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { AuthCard } from './auth-card'

export type Owner = { user_id: number; email: string }

/** Asks before somebody else's session takes the place of the one that is. */
export function SwitchAccount(props: {
  owner: Owner
  current: string
  onSwitch: (owner: Owner) => Promise<void>
  onStay: () => Promise<void>
}) {
  const { t } = useTranslation('entry')
  const [isBusy, setBusy] = useState(false)
  const change = () => {
    setBusy(true)
    void props.onSwitch(props.owner)
  }
  return (
    <AuthCard documentTitle={t('title')} heading={t('switchTitle')}>
      <Text>
        <Trans
          t={t}
          i18nKey="switchText"
          values={{ brought: props.owner.email, current: props.current }}
          components={{ brought: <Text span fw={600} />, current: <Text span fw={600} /> }}
        />
      </Text>
      <Stack gap="sm">
        <Button onClick={change} loading={isBusy}>
          {t('switch')}
        </Button>
        <Button variant="default" onClick={() => void props.onStay()} disabled={isBusy}>
          {t('stay')}
        </Button>
      </Stack>
    </AuthCard>
  )
}
