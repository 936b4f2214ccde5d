import { useQueryClient } from '@tanstack/react-query'
import { useBlocker, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { showServerProblem } from '@/lib/server-problem'
import { draftOf } from './draft'
import { sayReceived } from './received'
import type { FormValues, ResourceFormProps } from './resource-form'
import { sendTry } from './unanswered-tries'

/** Asks for a confirmation, and gives whether it came. */
function useQuestion() {
  const [asked, setAsked] = useState<{ effect: string; answer: (yes: boolean) => void }>()
  const ask = async (effect: string) => {
    const isConfirmed = await new Promise<boolean>((answer) => setAsked({ effect, answer }))
    setAsked(undefined)
    return isConfirmed
  }
  return { asked, ask }
}

/** The values of the form, what of them differs from what the server had, and the draft that keeps them until they are saved. */
function useValues(props: ResourceFormProps, isSaved: boolean) {
  // What the changes are made to. The page may read the object again meanwhile.
  const [base, setBase] = useState(props.initial)
  const [stored] = useState(() => draftOf(props.draftKey))
  const [draft, setDraft] = useState(() => stored.read())
  const form = useForm<FormValues>({ defaultValues: { ...props.initial, ...draft } })
  const values = useWatch({ control: form.control }) as FormValues
  const changed = Object.keys(values).filter((name) => values[name] !== base[name])
  useEffect(() => {
    // What was drawn before the save may have kept it once more.
    if (isSaved) return stored.drop()
    const fields = props.sections.flatMap((section) => [...section.fields(values)])
    const secrets = new Set(fields.flatMap(({ kind, name }) => (kind === 'secret' ? [name] : [])))
    const kept = changed.filter((name) => !secrets.has(name))
    stored.keep(Object.fromEntries(kept.map((name) => [name, values[name] ?? ''])))
  })
  useBlocker({
    shouldBlockFn: () => false,
    enableBeforeUnload: () => changed.length > 0 && !isSaved,
  })

  const isRestored = !isSaved && changed.some((name) => name in draft)
  const drop = () => {
    setDraft({})
    form.reset(base)
  }
  return { base, setBase, stored, form, values, changed, isRestored, drop }
}

/** What a ResourceForm holds and does: its values, what of them changed, its draft, and what a save comes to. */
export function useResourceForm(props: ResourceFormProps) {
  const { t } = useTranslation('console/parts')
  const { t: common } = useTranslation()
  const queryClient = useQueryClient()
  const [isSaved, setSaved] = useState(false)
  const navigate = useNavigate()
  const { setBase, stored, ...kept } = useValues(props, isSaved)
  const { base, form, changed } = kept
  const [theirs, setTheirs] = useState<FormValues>()
  const [settledCount, setSettledCount] = useState(0)
  const { asked, ask } = useQuestion()
  /** The server has it all: no draft stays, and what shows it is read again. */
  const finish = async () => {
    setSaved(true)
    stored.drop()
    await queryClient.invalidateQueries({ queryKey: ['console'] })
  }
  const showProblem = async (error: unknown) => {
    // An earlier try arrived and its answer was lost, which is what the server says.
    if (sayReceived(error)) {
      await finish()
      if (props.onReceived) props.onReceived()
      else await navigate({ to: '..' })
      return
    }
    const isStale = error instanceof ApiError && error.code === 'version_conflict'
    if (!isStale || !props.reload) return showServerProblem(form, error, common)
    try {
      setTheirs(await props.reload())
    } catch (unread) {
      showServerProblem(form, unread, common)
    }
  }
  const submit = form.handleSubmit(async (given) => {
    // Of a conflict one decides first what to keep: saved now, it would hide what the other member wrote.
    if (theirs) return
    const effect = props.confirm?.(given, changed)
    if (effect !== undefined && !(await ask(effect))) return
    const save = () => props.save(given, changed)
    try {
      // What exists has a version, without which nothing is saved twice.
      await (props.isNew ? sendTry(props.draftKey, given, t('form.earlierTry'), save) : save())
    } catch (error) {
      await showProblem(error)
      return
    }
    await finish()
    props.onSaved()
  })

  /** Takes what was settled as the form's values, on top of what the server has now. */
  const settle = (settled: FormValues) => {
    setBase(theirs ?? base)
    setTheirs(undefined)
    setSettledCount((count) => count + 1)
    for (const [name, value] of Object.entries(settled)) form.setValue(name, value)
  }
  return { ...kept, submit, theirs, settle, settledCount, asked }
}
