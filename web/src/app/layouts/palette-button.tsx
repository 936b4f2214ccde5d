import { Kbd, UnstyledButton } from '@mantine/core'
import { Search } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { modifier } from './modifier'
import classes from './palette-button.module.css'

export function PaletteButton({ onOpen }: { onOpen: () => void }) {
  const { t } = useTranslation()
  return (
    <UnstyledButton className={classes.button} onClick={onOpen}>
      <Search size={16} strokeWidth={1.75} aria-hidden="true" />
      <span className={classes.hint}>{t('palette.hint')}</span>
      <Kbd size="xs">{modifier} K</Kbd>
    </UnstyledButton>
  )
}
