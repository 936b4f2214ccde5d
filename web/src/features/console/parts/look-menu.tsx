import { ActionIcon, Button, Checkbox, Popover, Stack, Switch } from '@mantine/core'
import { Columns3, MoveDown, MoveUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './look-menu.module.css'
import type { Column } from './resource'
import { type Look, shownOf, titleOf } from './use-look'

/** Which columns a list has, in which order, and how high its rows are. */
export function LookMenu<T>({ look }: { look: Look<T> }) {
  const { t } = useTranslation('console/parts')
  return (
    <Popover position="bottom-end" trapFocus returnFocus shadow="md" onClose={look.keep}>
      <Popover.Target>
        <Button
          variant="default"
          size="sm"
          className={classes.button ?? ''}
          leftSection={<Columns3 size={16} strokeWidth={1.75} aria-hidden="true" />}
        >
          {t('look.columns')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <Choices look={look} />
          <Switch
            size="sm"
            label={t('look.dense')}
            checked={look.isDense}
            onChange={({ currentTarget }) => look.change({ isDense: currentTarget.checked })}
          />
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            disabled={look.stored.columns.length === 0 && look.stored.widths === undefined}
            onClick={() => look.change({ shown: shownOf(look.columns, []), widths: {} })}
          >
            {t('look.usual')}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

function Choices<T>({ look }: { look: Look<T> }) {
  const { t } = useTranslation('console/parts')
  const { shown } = look
  const hidden = look.columns.filter((column) => !shown.includes(column))
  const title = titleOf(look.columns)
  const toggle = (column: Column<T>) =>
    look.change({
      shown: shown.includes(column) ? shown.filter((one) => one !== column) : [...shown, column],
    })
  const move = (from: number, to: number) => {
    const column = shown[from]
    if (column) look.change({ shown: shown.toSpliced(from, 1).toSpliced(to, 0, column) })
  }
  return (
    <ul className={classes.columns} aria-label={t('look.columns')}>
      {[...shown, ...hidden].map((column, index) => (
        <li key={column.key} className={classes.column}>
          <Checkbox
            size="sm"
            label={column.title}
            checked={shown.includes(column)}
            disabled={column === title}
            onChange={() => toggle(column)}
          />
          {shown.includes(column) && column !== title && (
            <span className={classes.moves}>
              <Move
                label={t('order.up', { name: column.title })}
                isOff={index < 2}
                onPress={() => move(index, index - 1)}
              >
                <MoveUp size={14} strokeWidth={1.75} />
              </Move>
              <Move
                label={t('order.down', { name: column.title })}
                isOff={index === shown.length - 1}
                onPress={() => move(index, index + 1)}
              >
                <MoveDown size={14} strokeWidth={1.75} />
              </Move>
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

/** It stays in reach of the keyboard where it can do nothing, so that the focus is not lost by the last press. */
function Move(props: { label: string; isOff: boolean; onPress: () => void; children: ReactNode }) {
  return (
    <ActionIcon
      size={28}
      variant="subtle"
      color="gray"
      aria-label={props.label}
      aria-disabled={props.isOff}
      data-disabled={props.isOff || undefined}
      onClick={() => !props.isOff && props.onPress()}
    >
      {props.children}
    </ActionIcon>
  )
}
