import { Button, Card, Group, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { FormError } from '@/ui/form-error'
import { Changes } from './changes'
import type { Field } from './field'
import type { FormValues } from './resource-form'

/** The end of a form: what will be saved, what is wrong with it as a whole, and the button that saves. */
export function FormFoot(props: {
  fields: readonly Field[]
  /** What the server has now, as far as the form knows. */
  before: FormValues
  after: FormValues
  changed: readonly string[]
  isNew: boolean
  submit: string
  error: string | undefined
  isBusy: boolean
  /** Until it is chosen which version to keep. */
  isLocked: boolean
  /** How many conflicts were settled; each leads here, where the result is saved. */
  settledCount: number
}) {
  const { t } = useTranslation('console/parts')
  const { changed, isNew, settledCount } = props
  const foot = useRef<HTMLElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const isSaveable = !props.isLocked && (isNew || changed.length > 0)
  const settled = useRef(0)
  useEffect(() => {
    if (settled.current === settledCount) return
    settled.current = settledCount
    ;(isSaveable ? button.current : foot.current)?.focus()
  }, [settledCount, isSaveable])
  return (
    <Card ref={foot} component="section" tabIndex={-1} aria-label={t('form.changes')}>
      {!isNew && (
        <Changes
          fields={props.fields}
          before={props.before}
          after={props.after}
          changed={changed.filter((name) => props.before[name] !== props.after[name])}
        />
      )}
      {settledCount > 0 && isSaveable && (
        <Text role="status" size="sm" mb="sm">
          {t('conflict.toSave')}
        </Text>
      )}
      <FormError message={props.error} />
      <Group justify="flex-end" mt={props.error ? 'md' : undefined}>
        <Button ref={button} type="submit" loading={props.isBusy} disabled={!isSaveable}>
          {props.submit}
        </Button>
      </Group>
    </Card>
  )
}
