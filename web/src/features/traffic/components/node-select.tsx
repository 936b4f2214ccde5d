import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { nodeChoices } from '../queries'
import classes from '../traffic.module.css'

/** One node, or all of them. A node that the user may no longer use is called by its number. */
export function NodeSelect(props: {
  value: number | undefined
  onChange: (node: number | undefined) => void
}) {
  const { t } = useTranslation('traffic')
  const { data } = useQuery(nodeChoices())
  const nodes = [...(data?.available_nodes ?? []), ...(data?.locked_nodes ?? [])].map(
    ({ node_id: id, node_name: name }) => ({
      value: String(id),
      label: name,
    }),
  )
  const { value } = props
  const isKnown = value === undefined || nodes.some((node) => node.value === String(value))
  return (
    <NativeSelect
      size="sm"
      className={classes.nodes}
      aria-label={t('node')}
      value={String(value ?? '')}
      onChange={({ currentTarget }) => props.onChange(Number(currentTarget.value) || undefined)}
      data={[
        { value: '', label: t('allNodes') },
        ...(isKnown ? [] : [{ value: String(value), label: t('nodeNumber', { id: value }) }]),
        ...nodes,
      ]}
    />
  )
}
