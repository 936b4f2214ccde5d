import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { staffBulkJobMake, staffBulkJobStart } from '@/lib/api/gen/staff/sdk.gen'
import type { FrozenBulkJob, StaffBulkJobMakeData } from '@/lib/api/gen/staff/types.gen'
import { problemText, showServerProblem } from '@/lib/server-problem'
import { Dialog } from '@/ui/dialog'
import { DialogActions } from '@/ui/dialog-actions'
import { FormError } from '@/ui/form-error'
import type { Values } from '../parts/action'
import type { Field } from '../parts/field'
import { DialogFields } from '../parts/dialog-fields'
import { sayReceived, wasReceived } from '../parts/received'
import { useMoneyText } from '../parts/use-money-text'
import { personText } from '../parts/person-text'
import type { BulkKind, Chosen } from './bulk-kinds'
import { GIB } from './gift-actions'

/** From how many users on their number has to be typed. */
const TYPED_FROM = 100

type Props = { kind: BulkKind; chosen: Chosen; onClose: () => void }

/** Asks what each user gets, has the server freeze the choice, and names count, examples and worth before it begins. */
export function BulkDialog(props: Props) {
  const { t } = useTranslation('console/bulk')
  const [frozen, setFrozen] = useState<FrozenBulkJob>()
  return (
    <Dialog title={t(`kind.${props.kind}`)} onClose={props.onClose}>
      {frozen ? (
        <Confirmation frozen={frozen} onClose={props.onClose} />
      ) : (
        <Details {...props} onFrozen={setFrozen} />
      )}
    </Dialog>
  )
}

function useFields(kind: BulkKind): Field[] {
  const { t } = useTranslation('console/bulk')
  const of: Record<string, Field> = {
    bytes: {
      name: 'bytes',
      label: t('field.gigabytes'),
      kind: 'number',
      isRequired: true,
      initial: '10',
    },
    name: {
      name: 'name',
      label: t('field.name'),
      kind: 'text',
      isRequired: true,
      initial: t('field.gift'),
      rules: { maxLength: 64 },
    },
    days: {
      name: 'days',
      label: t('field.days'),
      kind: 'number',
      isRequired: kind === 'extend',
      ...(kind === 'ban' && { hint: t('field.banDays') }),
      initial: kind === 'extend' ? '3' : '',
    },
    amount: {
      name: 'amount',
      label: t('field.amount'),
      kind: 'money',
      isRequired: true,
      rules: { pattern: /^\d+(\.\d{1,2})?$/ },
    },
    label: {
      name: 'label',
      label: t('field.label'),
      kind: 'text',
      isRequired: true,
      rules: { maxLength: 40 },
    },
    mail: { name: 'mail', label: t('field.mail'), kind: 'switch' },
    reason: {
      name: 'reason',
      label: t(kind === 'ban' || kind === 'balance' ? 'field.shownReason' : 'field.reason'),
      kind: 'textarea',
      isRequired: true,
      rules: { maxLength: 200 },
    },
  }
  const names: Record<BulkKind, string[]> = {
    traffic: ['bytes', 'name'],
    extend: ['days'],
    reset: [],
    balance: ['amount'],
    ban: ['days', 'mail'],
    label: ['label'],
    unlabel: ['label'],
  }
  return [...names[kind], 'reason'].flatMap((name) => of[name] ?? [])
}

/**
 * Has the server freeze the choice, once more where an earlier try was received and its answer lost. A choice that nobody
 * confirms does nothing, is no line of the list of jobs and is deleted after 15 minutes, so a second one harms nobody, while
 * the first can't be found any more. A call that was answered gets a new key (`sendKeyed`).
 */
async function freeze(body: StaffBulkJobMakeData['body']) {
  const send = () => staffBulkJobMake({ body, throwOnError: true })
  try {
    return await send()
  } catch (error) {
    if (!wasReceived(error)) throw error
    return send()
  }
}

function Details(props: Props & { onFrozen: (frozen: FrozenBulkJob) => void }) {
  const { t } = useTranslation('console/bulk')
  const { t: common } = useTranslation()
  const { kind, chosen } = props
  const fields = useFields(kind)
  const form = useForm<Values>({
    defaultValues: Object.fromEntries(
      fields.map(({ name, kind: input, initial }) => [
        name,
        initial ?? (input === 'switch' ? false : ''),
      ]),
    ),
  })
  const values = useWatch({ control: form.control }) as Values
  const submit = form.handleSubmit(async (given) => {
    const text = (name: string) => String(given[name] ?? '').trim()
    try {
      const { data } = await freeze({
        kind,
        reason: text('reason'),
        details: {
          ...(text('bytes') && { bytes: Math.round(Number(text('bytes')) * GIB) }),
          ...(text('name') && { name: text('name') }),
          ...(text('days') && { days: Number(text('days')) }),
          ...(text('amount') && { amount: text('amount') }),
          ...(text('label') && { label: text('label') }),
          ...(given['mail'] === true && { mail: true }),
        },
        ...chosen,
      })
      props.onFrozen(data)
    } catch (error) {
      showServerProblem(form, error, common)
    }
  })
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <Text>{t('nothingYet')}</Text>
        <DialogFields fields={fields} form={form} values={values} />
        <FormError message={form.formState.errors.root?.message} />
        <DialogActions>
          <Button variant="default" onClick={props.onClose}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={form.formState.isSubmitting}>
            {t('count')}
          </Button>
        </DialogActions>
      </Stack>
    </form>
  )
}

/** Ends the dialog where an earlier try was received; says whether it was. */
function useEnd(onClose: () => void) {
  const client = useQueryClient()
  return (error: unknown): boolean => {
    if (!sayReceived(error)) return false
    void client.invalidateQueries({ queryKey: ['console'] })
    onClose()
    return true
  }
}

function Confirmation({ frozen, onClose }: { frozen: FrozenBulkJob; onClose: () => void }) {
  const { t, i18n } = useTranslation('console/bulk')
  const { t: common } = useTranslation()
  const money = useMoneyText()
  const { job, examples } = frozen
  const [typed, setTyped] = useState('')
  const client = useQueryClient()
  const navigate = useNavigate()
  const end = useEnd(onClose)
  const start = useMutation({
    mutationFn: () => staffBulkJobStart({ path: { job_id: job.id }, throwOnError: true }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['console'] })
      onClose()
      await navigate({ to: '/admin/bulk-jobs/$id', params: { id: String(job.id) } })
    },
    onError: end,
  })
  const isTyped = job.rows > TYPED_FROM
  return (
    <Stack gap="md">
      <Text>
        {t('confirm', {
          count: job.rows,
          shown: new Intl.NumberFormat(i18n.language).format(job.rows),
        })}
      </Text>
      <Text c="dimmed">
        {t('examples', {
          names: examples.map(personText).join(', '),
        })}
      </Text>
      <Text>{job.worth === null ? t('worthless') : t('worth', { amount: money(job.worth) })}</Text>
      {isTyped && (
        <TextInput
          label={t('typeCount', { count: job.rows })}
          value={typed}
          inputMode="numeric"
          autoComplete="off"
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      )}
      <FormError message={start.error ? problemText(start.error, common) : undefined} />
      <DialogActions>
        <Button variant="default" onClick={onClose} data-autofocus>
          {common('cancel')}
        </Button>
        <Button
          color="red"
          loading={start.isPending}
          disabled={isTyped && typed.trim() !== String(job.rows)}
          onClick={() => start.mutate()}
        >
          {t('begin')}
        </Button>
      </DialogActions>
    </Stack>
  )
}
