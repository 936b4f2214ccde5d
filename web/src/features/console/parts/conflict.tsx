import { Button, Card, Group, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useWords } from './changes'
import type { Field } from './field'
import classes from './resource-form.module.css'
import type { FormValues } from './resource-form'

/**
 * Another member changed the same object first. Both versions side by side: what only one of them changed is kept with one
 * press; of what both changed the one to keep is chosen.
 */
export function ConflictNotice(props: {
  fields: readonly Field[]
  initial: FormValues
  mine: FormValues
  theirs: FormValues
  onSettle: (values: FormValues) => void
}) {
  const { t } = useTranslation('console/parts')
  const { fields, initial, mine, theirs } = props
  const heading = useRef<HTMLHeadingElement>(null)
  // It stands above a long form whose button at the end was pressed: the focus brings it into view.
  useEffect(() => heading.current?.focus(), [])
  const both = fields.filter(
    ({ name }) =>
      mine[name] !== initial[name] && theirs[name] !== initial[name] && mine[name] !== theirs[name],
  )
  const settle = (keepsMine: boolean) =>
    props.onSettle(
      Object.fromEntries(
        fields.map(({ name }) => {
          const isMine = mine[name] !== initial[name]
          const isBoth = both.some((field) => field.name === name)
          return [name, (isMine && (keepsMine || !isBoth) ? mine[name] : theirs[name]) ?? '']
        }),
      ),
    )
  return (
    <Card role="alert" className={classes.conflict}>
      <Text ref={heading} component="h2" tabIndex={-1} fw={600}>
        {t('conflict.title')}
      </Text>
      <Text size="sm">{t(both.length > 0 ? 'conflict.both' : 'conflict.apart')}</Text>
      {both.length > 0 && <Versions fields={both} mine={mine} theirs={theirs} />}
      <Group gap="sm" mt="sm">
        <Button size="sm" onClick={() => settle(true)}>
          {t(both.length > 0 ? 'conflict.keepMine' : 'conflict.apply')}
        </Button>
        {both.length > 0 && (
          <Button size="sm" variant="default" onClick={() => settle(false)}>
            {t('conflict.keepTheirs')}
          </Button>
        )}
      </Group>
    </Card>
  )
}

function Versions(props: { fields: readonly Field[]; mine: FormValues; theirs: FormValues }) {
  const { t } = useTranslation('console/parts')
  const words = useWords()
  return (
    <table className={classes.versions}>
      <thead>
        <tr>
          <th scope="col">{t('conflict.field')}</th>
          <th scope="col">{t('conflict.mine')}</th>
          <th scope="col">{t('conflict.theirs')}</th>
        </tr>
      </thead>
      <tbody>
        {props.fields.map((field) => (
          <tr key={field.name}>
            <th scope="row">{field.label}</th>
            <td>{words(field, props.mine[field.name])}</td>
            <td>{words(field, props.theirs[field.name])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
