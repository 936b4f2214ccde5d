import { Switch } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { areKeysOff, turnKeys } from '@/lib/keys'

/** Turns single keys off and on in this browser. Those with Ctrl or Cmd stay. */
export function KeysSwitch() {
  const { t } = useTranslation()
  const [isOn, setOn] = useState(!areKeysOff())
  return (
    <Switch
      mb="sm"
      size="sm"
      label={t('shortcuts.on')}
      checked={isOn}
      onChange={({ currentTarget }) => {
        turnKeys(currentTarget.checked)
        setOn(currentTarget.checked)
      }}
    />
  )
}
