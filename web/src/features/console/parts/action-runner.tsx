import { ActionIcon, Button, Menu } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Ellipsis } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '@/lib/lazy-part'
import { problemText } from '@/lib/server-problem'
import { dismissErrors, toast } from '@/ui/toast'
import type { Action, Values } from './action'
import { useMay } from './permissions'
import { sayReceived } from './received'
import { showUndo } from './undo'
import { useKey } from './use-key'
import { type Typed, useTyped } from './use-typed'

const ActionDialog = lazyPart(() => import('./action-dialog'), 'ActionDialog')

function useRefresh() {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: ['console'] })
}

/** Gives what is to follow an action that was run: what it changed is read again, and it is said. */
function useTake() {
  const { t } = useTranslation('console/parts')
  const { t: common } = useTranslation()
  const refresh = useRefresh()

  return <S,>(subject: S, action: Action<S>, values: Values, made: unknown) => {
    void refresh()
    const said = action.done(subject)
    const { undo } = action
    if (!undo) return void toast('success', said)
    showUndo(said, t('action.undo'), async () => {
      dismissErrors()
      try {
        await undo(subject, values, made)
      } catch (error) {
        if (!sayReceived(error)) await toast('error', problemText(error, common))
      }
      await refresh()
    })
  }
}

/** The dialog of an action, which asks and runs it. It begins with what was typed before, and keeps it until it was sent. */
export function ActionQuestion<S>(props: {
  subject: S
  action: Action<S>
  typed?: Typed
  onClose: () => void
}) {
  const take = useTake()
  const refresh = useRefresh()
  useFocusAfterwards()
  return (
    <Suspense>
      {/* The dialog of one subject type; lazy components have no type parameters. */}
      <ActionDialog
        action={props.action as Action<unknown>}
        subject={props.subject}
        {...(props.typed && { typed: props.typed })}
        onDone={(values, made) => {
          props.onClose()
          take(props.subject, props.action, values, made)
        }}
        // Without an answer it may have been done.
        onFailed={() => void refresh()}
        onClose={props.onClose}
      />
    </Suspense>
  )
}

/**
 * A dialog gives the focus back to what had it. An item of a menu is gone by then: the page's heading gets it instead, since
 * the body, as which nothing has it, begins at the top of the page.
 */
function useFocusAfterwards() {
  useEffect(
    () => () => {
      setTimeout(() => {
        if (document.activeElement === document.body)
          document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
      })
    },
    [],
  )
}

/** Gives what runs an action that asks nothing, as its button does, where the member may take it. */
export function useRun() {
  const { t: common } = useTranslation()
  const take = useTake()
  const refresh = useRefresh()
  const may = useMay()
  return async <S,>(subject: S, action: Action<S>) => {
    if (!isFor(action, subject, may)) return
    dismissErrors()
    try {
      const made = await action.run(subject, {})
      if (!action.leads) take(subject, action, {}, made)
    } catch (error) {
      if (!sayReceived(error)) await toast('error', problemText(error, common))
      // Without an answer it may have been done.
      await refresh()
    }
  }
}

const isFor = <S,>({ permission, isShown }: Action<S>, subject: S, may: Check) =>
  may(permission) && (isShown?.(subject) ?? true)

type Check = ReturnType<typeof useMay>

/**
 * Runs actions on an object: at once, or after its dialog. Gives what starts one, and what is to be drawn for it, even where
 * the action suits the object no longer: the dialog of one whose answer was lost says what is known of it.
 */
function useActions<S>(subject: S) {
  const run = useRun()
  const typed = useTyped()
  const [asked, setAsked] = useState<Action<S>>()
  const start = (action: Action<S>) =>
    action.danger === 'U' ? void run(subject, action) : setAsked(action)
  const dialog = asked && (
    <ActionQuestion
      subject={subject}
      action={asked}
      typed={typed(asked.key)}
      onClose={() => setAsked(undefined)}
    />
  )
  return { start, dialog }
}

/** Those that the member may take and that suit the object. */
function useShown<S>(subject: S, actions: readonly Action<S>[]) {
  const may = useMay()
  return actions.filter((action) => isFor(action, subject, may))
}

/** A button for one action; nothing where the member may not take it. */
export function ActionButton<S>(props: { subject: S; action: Action<S>; isPrimary?: boolean }) {
  const { subject, action } = props
  const isShown = useShown(subject, [action]).length > 0
  const { start, dialog } = useActions(subject)
  const Icon = action.icon
  return (
    <>
      {isShown && (
        <Button
          size="sm"
          variant={props.isPrimary ? 'filled' : 'default'}
          data-new={props.isPrimary || undefined}
          leftSection={Icon && <Icon size={16} strokeWidth={1.75} aria-hidden="true" />}
          onClick={() => start(action)}
        >
          {action.title}
        </Button>
      )}
      {dialog}
    </>
  )
}

/** The menu of actions on an object; nothing where there is none. `name` is the object's, for screen readers. */
export function ActionMenu<S>(props: {
  subject: S
  name: string
  actions: readonly Action<S>[]
  isRow?: boolean
}) {
  const { t } = useTranslation('console/parts')
  const { subject } = props
  const shown = useShown(subject, props.actions)
  const { start, dialog } = useActions(subject)
  const edit = props.isRow ? undefined : shown.find(({ key }) => key === 'edit')
  // On the page of an object that has a form.
  useKey('e', edit && (() => start(edit)))
  return (
    <>
      {shown.length > 0 && (
        // Its first item has the focus at once, so that Enter and Enter again runs it.
        <Menu position="bottom-end" shadow="md" width={220} withInitialFocusPlaceholder={false}>
          <Menu.Target>
            <ActionIcon
              variant={props.isRow ? 'subtle' : 'default'}
              color="gray"
              size={36}
              data-menu
              aria-label={t('action.menu', { name: props.name })}
            >
              <Ellipsis size={18} strokeWidth={1.75} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {shown.map((action, index) => {
              const Icon = action.icon
              return (
                <Menu.Item
                  key={action.key}
                  data-autofocus={index === 0 || undefined}
                  leftSection={Icon && <Icon size={16} strokeWidth={1.75} aria-hidden="true" />}
                  onClick={() => start(action)}
                >
                  {action.title}
                </Menu.Item>
              )
            })}
          </Menu.Dropdown>
        </Menu>
      )}
      {dialog}
    </>
  )
}
