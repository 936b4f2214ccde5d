import { useTranslation } from 'react-i18next'
import { Dialog } from '@/ui/dialog'
import { Keys } from '../layouts/keys'
import { KeysSwitch } from '../layouts/keys-switch'
import { modifier } from '../layouts/modifier'
import classes from './console.module.css'
import { usePages } from './use-pages'

/** What keys do in lists, on detail pages and in the inbox of tickets. */
const keysOf = {
  search: ['/'],
  filter: ['f'],
  move: ['j', 'k'],
  open: ['Enter'],
  peek: ['Space'],
  close: ['Esc'],
  choose: ['x'],
  chooseRange: ['Shift', 'x'],
  actions: ['.'],
  edit: ['e'],
  new: ['c'],
  neighbours: ['[', ']'],
  save: [modifier, 'S'],
  reply: ['r'],
  note: ['n'],
  assign: ['a'],
  canned: ['m'],
  send: [modifier, 'Enter'],
  sendAndResolve: [modifier, 'Shift', 'Enter'],
  help: ['?'],
} as const

export function ConsoleKeys({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('console/shell')
  const { t: common } = useTranslation()
  const pages = usePages().flatMap((group) => group.pages)
  return (
    <Dialog title={common('shortcuts.title')} onClose={onClose}>
      <KeysSwitch />
      <ul className={classes.keys}>
        <Row name={common('palette.open')} keys={[modifier, 'K']} />
        {(Object.keys(keysOf) as (keyof typeof keysOf)[]).map((key) => (
          <Row key={key} name={t(`key.${key}`)} keys={keysOf[key]} />
        ))}
        {pages.map(
          ({ key, shortcut }) =>
            shortcut && <Row key={key} name={t(`page.${key}`)} keys={['g', shortcut]} />,
        )}
      </ul>
    </Dialog>
  )
}

function Row({ name, keys }: { name: string; keys: readonly string[] }) {
  return (
    <li className={classes.key}>
      <span>{name}</span>
      <Keys keys={keys} />
    </li>
  )
}
