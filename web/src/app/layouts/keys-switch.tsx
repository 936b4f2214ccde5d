import { Switch } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { KEYS_OFF, areKeysOff } from '@/lib/keys'

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

function turnKeys(areOn: boolean): void {
  try {
    if (areOn) localStorage.removeItem(KEYS_OFF)
    else localStorage.setItem(KEYS_OFF, '1')
  } catch {
    // Nothing may be stored: they stay as they are.
  }
}
