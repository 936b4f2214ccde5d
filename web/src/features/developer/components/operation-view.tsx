import { Text, Title, UnstyledButton } from '@mantine/core'
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { type Contract, type Operation, summaryIn } from '../contract'
import { exampleOf, fieldsOf, resultOf } from '../schema'
import { CodeBlock } from './code-block'
import { Fields } from './fields'
import { OperationSample } from './operation-sample'
import classes from './reference.module.css'

type Props = { contract: Contract; operation: Operation }

/** One operation: its summary line and, when expanded, its parameters, answers and sample code. */
export function OperationView(
  props: Props & { isOpen: boolean; onToggle: (isOpen: boolean) => void },
) {
  const { operation, isOpen } = props
  const { i18n } = useTranslation()
  const element = useRef<HTMLDivElement>(null)
  const wasOpenAtFirst = useRef(isOpen)
  useEffect(() => {
    // The operation that the address names is scrolled into view. One opened by hand already is.
    if (wasOpenAtFirst.current) element.current?.scrollIntoView({ block: 'start' })
  }, [])
  return (
    <div ref={element} className={classes.operation}>
      <UnstyledButton
        className={classes.line}
        aria-expanded={isOpen}
        onClick={() => props.onToggle(!isOpen)}
      >
        <ChevronRight size={16} strokeWidth={1.75} aria-hidden="true" className={classes.arrow} />
        <span className={classes.method} data-method={operation.method}>
          {operation.method}
        </span>
        <span className={classes.words}>
          <code className={classes.path}>{operation.path}</code>
          <span className={classes.summary}>{summaryIn(i18n.language, operation)}</span>
        </span>
      </UnstyledButton>
      {isOpen && <Details {...props} />}
    </div>
  )
}

function Details({ contract, operation }: Props) {
  const { t } = useTranslation('developer')
  const { parameters, body, answer } = operation
  const bodyFields = body ? fieldsOf(contract, body) : []
  const answerFields = answer ? fieldsOf(contract, resultOf(contract, answer)) : []
  return (
    <div className={classes.details}>
      <Text c="dimmed">
        <Who operation={operation} />
      </Text>
      {parameters.length > 0 && (
        <Part title={t('reference.parameters')}>
          <Fields
            caption={t('reference.parameters')}
            fields={parameters.map(({ name, in: place, required, schema, description }) => ({
              name,
              type: [place, schema?.format ?? schema?.type].flat().filter(Boolean).join(' · '),
              isRequired: required ?? false,
              description: description ?? schema?.description ?? '',
            }))}
          />
        </Part>
      )}
      {bodyFields.length > 0 && (
        <Part title={t('reference.body')}>
          <Fields caption={t('reference.body')} fields={bodyFields} />
        </Part>
      )}
      {answer && (
        <Part title={t('reference.answer')}>
          {answerFields.length > 0 && (
            <Fields caption={t('reference.answer')} fields={answerFields} isAnswer />
          )}
          <CodeBlock
            name={t('reference.example')}
            text={JSON.stringify(exampleOf(contract, answer), null, 2)}
          />
        </Part>
      )}
      <Part title={t('tab.samples')}>
        <OperationSample contract={contract} operation={operation} />
      </Part>
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={classes.part}>
      <Title order={3} size="h4">
        {title}
      </Title>
      {children}
    </div>
  )
}

function Who({ operation: { needsSignIn, scope } }: { operation: Operation }) {
  const { t } = useTranslation('developer')
  if (!needsSignIn) return t('reference.open')
  return scope ? t('reference.scope', { scope }) : t('reference.signedIn')
}
