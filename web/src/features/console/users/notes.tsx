import { ActionIcon, Button, Group, Skeleton, Stack, Text, Textarea } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffUserNoteAdd, staffUserNoteRemove, staffUserNotes } from '@/lib/api/gen/staff/sdk.gen'
import type { UserNote } from '@/lib/api/gen/staff/types.gen'
import { problemText } from '@/lib/server-problem'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { toast } from '@/ui/toast'
import { useKeptText } from '../parts/kept-text'
import { sayReceived, wasReceived } from '../parts/received'
import { showUndo } from '../parts/undo'
import { Section } from '../parts/section'
import classes from './users.module.css'

const notesOf = (id: number) =>
  queryOptions({
    queryKey: ['console', 'users', 'notes', id],
    queryFn: async ({ signal }) =>
      (await staffUserNotes({ path: { user_id: id }, signal, throwOnError: true })).data,
    staleTime: 5_000,
  })

/** What members of staff wrote down about a user. One that is added or removed shows at once, and can be taken back. */
export function Notes({ id }: { id: number }) {
  const { t } = useTranslation('console/user-actions')
  const query = useQuery(notesOf(id))
  return (
    <Section title={t('notes.title')}>
      <Stack gap="sm">
        <NewNote key={id} id={id} />
        <Loaded query={query} skeleton={<Skeleton height={48} />}>
          {(notes) => (
            <ul className={classes.items}>
              {notes.map((note) => (
                <Note key={note.id} user={id} note={note} />
              ))}
            </ul>
          )}
        </Loaded>
      </Stack>
    </Section>
  )
}

function useNotes(id: number) {
  const client = useQueryClient()
  const { t: common } = useTranslation()
  const { queryKey } = notesOf(id)
  return {
    change: (fn: (notes: UserNote[]) => UserNote[]) =>
      client.setQueryData(queryKey, (notes) => notes && fn(notes)),
    settle: () => client.invalidateQueries({ queryKey }),
    complain: (error: unknown) => {
      if (!sayReceived(error)) void toast('error', problemText(error, common))
    },
  }
}

/** The field for a new note. What is written in it is kept in this browser until it was added. */
function NewNote({ id }: { id: number }) {
  const { t } = useTranslation('console/user-actions')
  const [text, change] = useKeptText(`user-note:${id}`)
  const { change: changeNotes, settle, complain } = useNotes(id)
  const add = useMutation({
    mutationFn: (given: string) =>
      staffUserNoteAdd({ path: { user_id: id }, body: { text: given }, throwOnError: true }),
    onMutate: (given) => {
      change(() => '')
      changeNotes((notes) => [
        { id: -Date.now(), text: given, created_at: new Date().toISOString() },
        ...notes,
      ])
    },
    onError: (error, given) => {
      if (!wasReceived(error)) change((since) => [given, since].filter(Boolean).join('\n\n'))
      complain(error)
    },
    onSettled: settle,
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim()) add.mutate(text.trim())
      }}
    >
      <Stack gap="xs">
        <Textarea
          aria-label={t('notes.new')}
          placeholder={t('notes.new')}
          rows={2}
          maxLength={2000}
          value={text}
          onChange={({ currentTarget: { value } }) => change(() => value)}
        />
        <Group justify="flex-end">
          <Button type="submit" size="xs" variant="default" disabled={!text.trim()}>
            {t('notes.add')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Note({ user, note }: { user: number; note: UserNote }) {
  const { t } = useTranslation('console/user-actions')
  const { t: parts } = useTranslation('console/parts')
  const { change, settle, complain } = useNotes(user)
  const path = { user_id: user }
  const remove = useMutation({
    mutationFn: () =>
      staffUserNoteRemove({ path: { ...path, note_id: note.id }, throwOnError: true }),
    onMutate: () => change((notes) => notes.filter(({ id }) => id !== note.id)),
    onSuccess: () =>
      showUndo(t('notes.removed'), parts('action.undo'), async () => {
        await staffUserNoteAdd({ path, body: { text: note.text }, throwOnError: true }).catch(
          complain,
        )
        await settle()
      }),
    onError: complain,
    onSettled: settle,
  })
  return (
    <li className={classes.item}>
      <Text className={classes.note}>{note.text}</Text>
      <ActionIcon
        variant="subtle"
        color="gray"
        disabled={note.id < 0}
        aria-label={t('notes.remove')}
        onClick={() => remove.mutate()}
      >
        <Trash2 size={16} strokeWidth={1.75} />
      </ActionIcon>
      <span className={classes.about}>
        {note.made_by?.email ?? ''} <Moment time={note.created_at} withTime />
      </span>
    </li>
  )
}
