import { Button, type ButtonProps } from '@mantine/core'
import { ChevronDown } from 'lucide-react'
import type { ButtonHTMLAttributes, Ref } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './import-button.module.css'

type Props = ButtonProps &
  Omit<ButtonHTMLAttributes<HTMLButtonElement>, keyof ButtonProps> & {
    isQuiet: boolean
    ref?: Ref<HTMLButtonElement>
  }

/** The narrow half of the import button; with and without its menu, which is loaded when it is first wanted. */
export function MenuButton({ isQuiet, ...button }: Props) {
  const { t } = useTranslation('home')
  return (
    <Button
      {...button}
      className={classes.more}
      variant={isQuiet ? 'default' : 'filled'}
      aria-haspopup="menu"
      aria-label={t('otherClients')}
      title={t('otherClients')}
    >
      <ChevronDown size={18} strokeWidth={1.75} />
    </Button>
  )
}
