import { useTranslation } from 'react-i18next'
import { Dialog } from '@/ui/dialog'
import { Keys } from './keys'
import { KeysSwitch } from './keys-switch'
import { modifier } from './modifier'
import { navigation } from './navigation'
import classes from './shortcuts-dialog.module.css'

/** All keys that do something anywhere, and those of single pages. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const { t: words } = useTranslation('palette')
  const pages = navigation.flat().filter(({ shortcut }) => shortcut)
  return (
    <Dialog title={t('shortcuts.title')} onClose={onClose}>
      <KeysSwitch />
      <ul className={classes.list}>
        <Shortcut name={t('palette.open')} keys={[modifier, 'K']} />
        {pages.map(({ key, shortcut }) => (
          <Shortcut key={key} name={t(`nav.${key}`)} keys={['g', shortcut ?? '']} />
        ))}
        <Shortcut name={words('shortcuts.search')} keys={['/']} />
        <Shortcut name={words('shortcuts.open')} keys={['?']} />
        <Shortcut name={words('shortcuts.close')} keys={['Esc']} />
      </ul>
    </Dialog>
  )
}

function Shortcut({ name, keys }: { name: string; keys: readonly string[] }) {
  return (
    <li className={classes.shortcut}>
      <span>{name}</span>
      <Keys keys={keys} />
    </li>
  )
}
