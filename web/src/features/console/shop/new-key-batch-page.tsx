import { Button, Card, Group, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCurrency } from '@/lib/currency'
import { staffCdKeysMakeRules as rules } from '@/lib/api/gen/staff/rules.gen'
import { staffCdKeysMake } from '@/lib/api/gen/staff/sdk.gen'
import type { BatchBody, MadeBatch } from '@/lib/api/gen/staff/types.gen'
import { newIdempotencyKey } from '@/lib/idempotency-key'
import { csvFile, saveFile } from '@/lib/save-file'
import { Notice } from '@/ui/notice'
import { DetailHeader } from '../parts/detail-header'
import type { Field } from '../parts/field'
import { usePlanOptions } from '../parts/plan-names'
import { type FormSection, type FormValues, ResourceForm } from '../parts/resource-form'
import { inputTime } from '../parts/time-input'

const GB = 1024 ** 3
const whole = /^\d+$/

const blank: FormValues = {
  name: '',
  kind: 'amount',
  amount: '',
  plan_id: '',
  months: '1',
  days: '',
  bytes: '',
  size: '10',
  max_uses: '1',
  per_user: '',
  expires_at: '',
}

const numberOf = (values: FormValues, name: string) => Number(values[name])

function bodyOf(values: FormValues): BatchBody {
  const kind = values.kind as BatchBody['kind']
  const expires = inputTime(values.expires_at)
  return {
    name: String(values.name).trim(),
    kind,
    size: numberOf(values, 'size'),
    max_uses: numberOf(values, 'max_uses') || 1,
    ...(values.per_user && { per_user: numberOf(values, 'per_user') }),
    ...(expires && { expires_at: expires }),
    ...(kind === 'amount' && { amount: String(values.amount).trim() }),
    ...(kind === 'traffic' && { bytes: Math.round(numberOf(values, 'bytes') * GB) }),
    ...(kind === 'plan' && {
      plan_id: numberOf(values, 'plan_id'),
      months: numberOf(values, 'months'),
      days: numberOf(values, 'days'),
    }),
  }
}

/** A new batch. Its keys are shown once, as a file, when it is made. */
export function NewKeyBatchPage() {
  const { t } = useTranslation('console/cdkey')
  const [made, setMade] = useState<MadeBatch>()
  const [key] = useState(newIdempotencyKey)
  const sections = [useGift(), useUse()]
  return (
    <div data-wide>
      <DetailHeader list={{ title: t('title'), link: { to: '/admin/cd-keys' } }} title={t('new')} />
      {made ? (
        <Made made={made} />
      ) : (
        <ResourceForm
          draftKey="cd-keys:new"
          initial={blank}
          isNew
          sections={sections}
          submit={t('make')}
          confirm={({ size, max_uses: uses }) =>
            t('makeEffect', {
              count: Number(size),
              uses: t('uses', { count: Number(uses) }),
            })
          }
          save={async (values) => {
            const { data } = await staffCdKeysMake({
              body: bodyOf(values),
              headers: { 'Idempotency-Key': key },
              throwOnError: true,
            })
            setMade(data)
          }}
          onSaved={() => {}}
        />
      )}
    </div>
  )
}

function Made({ made }: { made: MadeBatch }) {
  const { t } = useTranslation('console/cdkey')
  const navigate = useNavigate()
  const [isSaved, setSaved] = useState(false)
  const { id } = made.batch
  return (
    <Card component="section" aria-label={t('made')}>
      <Notice tone="warning">{t(made.batch.confirmed_at ? 'once' : 'onceWaits')}</Notice>
      <Text my="md">{t('madeCount', { count: made.batch.size })}</Text>
      <Group>
        <Button
          leftSection={<Download size={16} aria-hidden="true" />}
          onClick={() => {
            saveFile(`cd-keys-${id}.csv`, csvFile(made.csv))
            setSaved(true)
          }}
        >
          {t('download')}
        </Button>
        <Button
          variant="default"
          disabled={!isSaved}
          onClick={() => void navigate({ to: '/admin/cd-keys/$id', params: { id: String(id) } })}
        >
          {t('toBatch')}
        </Button>
      </Group>
    </Card>
  )
}

function usePlanField(): Field {
  const { t } = useTranslation('console/cdkey')
  const options = usePlanOptions({ kind: 'plan' })
  const shared = { name: 'plan_id', isRequired: true }
  return options
    ? {
        ...shared,
        label: t('field.plan'),
        kind: 'choice',
        options: [{ value: '', label: t('choosePlan') }, ...options],
      }
    : { ...shared, label: t('field.plan_id'), kind: 'number', rules: { pattern: whole } }
}

function useGift(): FormSection {
  const { t } = useTranslation('console/cdkey')
  const currency = useCurrency()
  const plan = usePlanField()
  const number = (name: 'months' | 'days'): Field => ({
    name,
    label: t(`field.${name}`),
    kind: 'number',
    rules: { pattern: whole },
  })
  const kind: Field = {
    name: 'kind',
    label: t('field.kind'),
    kind: 'choice',
    options: (['amount', 'plan', 'traffic'] as const).map((value) => ({
      value,
      label: t(`kind.${value}`),
    })),
  }
  const of: Record<string, Field[]> = {
    amount: [
      {
        name: 'amount',
        label: t('field.amount', { currency }),
        kind: 'money',
        isRequired: true,
        rules: { pattern: /^\d+(\.\d{1,2})?$/ },
      },
    ],
    traffic: [
      {
        name: 'bytes',
        label: t('field.bytes'),
        kind: 'number',
        isRequired: true,
        rules: { pattern: /^\d+(\.\d{1,3})?$/ },
      },
    ],
    plan: [plan, number('months'), number('days')],
  }
  return {
    title: t('section.gift'),
    fields: (values) => [kind, ...(of[String(values.kind)] ?? [])],
  }
}

function useUse(): FormSection {
  const { t } = useTranslation('console/cdkey')
  const number = (name: 'size' | 'max_uses' | 'per_user', hint?: string): Field => ({
    name,
    label: t(`field.${name}`),
    kind: 'number',
    isRequired: name === 'size',
    rules: { pattern: whole },
    ...(hint && { hint }),
  })
  const fields: Field[] = [
    { name: 'name', label: t('field.name'), hint: t('hint.name'), kind: 'text', rules: rules.name },
    number('size', t('hint.size')),
    number('max_uses', t('hint.max_uses')),
    number('per_user', t('hint.none')),
    { name: 'expires_at', label: t('field.expires_at'), hint: t('hint.expires'), kind: 'datetime' },
  ]
  return { title: t('section.use'), fields: () => fields }
}
