import { ActionIcon, Button, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { GripVertical, MoveDown, MoveUp } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { problemText } from '@/lib/server-problem'
import { Dialog } from '@/ui/dialog'
import { DialogActions } from '@/ui/dialog-actions'
import { FormError } from '@/ui/form-error'
import { Notice } from '@/ui/notice'
import { toast } from '@/ui/toast'
import classes from './order-dialog.module.css'
import { sayReceived } from './received'

type Id = number | string
export type Item<I extends Id = Id> = { id: I; name: string }

const orderOf = (items: readonly Item[]) => items.map(({ id }) => id).join(' ')

type Props<I extends Id> = {
  title: string
  items: readonly Item<I>[]
  /** Reads the list as the server has it now. */
  read: () => Promise<readonly Item<I>[]>
  save: (ids: I[]) => Promise<unknown>
  onClose: () => void
}

/**
 * Puts a short list into another order, by drag or by buttons, and saves it at once. Where the list was changed meanwhile,
 * by another member or in another tab, it shows that first.
 */
export function OrderDialog<I extends Id>(props: Props<I>) {
  const { t } = useTranslation('console/parts')
  const { t: common } = useTranslation()
  const { items, setItems, isChanged, isBusy, problem, submit } = useOrder(props)
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <Stack gap="md">
        {isChanged && <Notice tone="warning">{t('order.changed')}</Notice>}
        <Items items={items} onChange={setItems} />
        <FormError message={problem === undefined ? undefined : problemText(problem, common)} />
        <DialogActions>
          <Button variant="default" onClick={props.onClose}>
            {common('cancel')}
          </Button>
          <Button loading={isBusy} onClick={() => void submit()}>
            {t('order.save')}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  )
}

/** The order as the member has it, and what comes of saving it. */
function useOrder<I extends Id>(props: Props<I>) {
  const { t } = useTranslation('console/parts')
  const queryClient = useQueryClient()
  const [items, setItems] = useState(props.items)
  // The order that the member began with, and those that they sent and had no answer to.
  const [known, setKnown] = useState(() => [orderOf(props.items)])
  const [isChanged, setChanged] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  /** Saves the order; false where it was changed meanwhile, which is shown. */
  const save = async () => {
    const present = await props.read()
    // An earlier try has saved it, and its answer was lost.
    if (orderOf(present) === orderOf(items)) return true
    if (!known.includes(orderOf(present))) {
      setKnown([orderOf(present)])
      setItems(present)
      return false
    }
    setKnown([...known, orderOf(items)])
    await props.save(items.map(({ id }) => id))
    return true
  }
  const submit = async () => {
    setBusy(true)
    setProblem(undefined)
    setChanged(false)
    try {
      if (!(await save())) {
        setBusy(false)
        setChanged(true)
        return
      }
      void toast('success', t('order.saved'))
    } catch (error) {
      if (!sayReceived(error)) {
        setBusy(false)
        setProblem(error)
        return
      }
    }
    await queryClient.invalidateQueries({ queryKey: ['console'] })
    props.onClose()
  }
  return { items, setItems, isChanged, isBusy, problem, submit }
}

/** The list with the item at `from` moved to the place `to`. */
const moved = <T extends Item>(items: readonly T[], from: number, to: number) => {
  const item = items[from]
  if (item === undefined || to < 0 || to >= items.length) return items
  return items.toSpliced(from, 1).toSpliced(to, 0, item)
}

function Items<T extends Item>(props: {
  items: readonly T[]
  onChange: (items: readonly T[]) => void
}) {
  const { t } = useTranslation('console/parts')
  const { items, onChange } = props
  const list = useRef<HTMLOListElement>(null)
  const dragged = useDrag(list, (from, to) => onChange(moved(items, from, to)))
  return (
    <ol ref={list} className={classes.items}>
      {items.map(({ id, name }, index) => (
        <li
          key={id}
          className={classes.item}
          draggable
          data-index={index}
          data-dragged={index === dragged}
        >
          <GripVertical size={16} strokeWidth={1.75} aria-hidden="true" />
          <span className={classes.name}>{name}</span>
          {([-1, 1] as const).map((step) => (
            <ActionIcon
              key={step}
              variant="default"
              size={32}
              disabled={index + step < 0 || index + step >= items.length}
              aria-label={t(step < 0 ? 'order.up' : 'order.down', { name })}
              onClick={() => onChange(moved(items, index, index + step))}
            >
              {step < 0 ? <MoveUp size={16} /> : <MoveDown size={16} />}
            </ActionIcon>
          ))}
        </li>
      ))}
    </ol>
  )
}

/** Moves an item while it is dragged over others. Gives the place of the one that is dragged. */
function useDrag(list: RefObject<HTMLElement | null>, onMove: (from: number, to: number) => void) {
  const [dragged, setDragged] = useState<number>()
  const now = useRef({ dragged, onMove })
  useEffect(() => {
    now.current = { dragged, onMove }
  })
  useEffect(() => {
    const element = list.current
    const placeOf = ({ target }: Event) =>
      Number((target as Element).closest<HTMLElement>('[data-index]')?.dataset.index)
    const start = (event: Event) => setDragged(placeOf(event))
    const over = (event: Event) => {
      const { dragged: from } = now.current
      const to = placeOf(event)
      if (from === undefined || Number.isNaN(to)) return
      event.preventDefault()
      if (from === to) return
      now.current.onMove(from, to)
      setDragged(to)
    }
    const end = () => setDragged(undefined)
    element?.addEventListener('dragstart', start)
    element?.addEventListener('dragover', over)
    element?.addEventListener('dragend', end)
    return () => {
      element?.removeEventListener('dragstart', start)
      element?.removeEventListener('dragover', over)
      element?.removeEventListener('dragend', end)
    }
  }, [list])
  return dragged
}
