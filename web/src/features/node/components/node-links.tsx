import { NativeSelect, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { nodeLinksOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { NodeEntry, NodeInfo } from '@/lib/api/gen/types.gen'
import { CopyButton } from '@/ui/copy-button'
import { Loaded } from '@/ui/loaded'
import { Qr } from '@/ui/qr'
import classes from './node-drawer.module.css'

/** The node alone, by each way in and in each format: as a QR code and to copy. */
export function NodeLinks({ node }: { node: NodeInfo }) {
  const links = useQuery(nodeLinksOptions({ path: { node_id: node.node_id } }))
  return (
    <Loaded query={links} skeleton={<Skeleton height={360} />}>
      {({ entries }) => <Links entries={entries} />}
    </Loaded>
  )
}

function Links({ entries }: { entries: readonly NodeEntry[] }) {
  const { t } = useTranslation('node')
  const [way, setWay] = useState('0')
  const [format, setFormat] = useState('')
  const entry = entries[Number(way)] ?? entries[0]
  const config = entry?.configs.find((one) => one.format === format) ?? entry?.configs[0]
  if (!entry) return null
  return (
    <div className={classes.links}>
      {entries.length > 1 && (
        <NativeSelect
          size="md"
          label={t('drawer.way')}
          data={entries.map(({ name }, index) => ({ value: String(index), label: name }))}
          value={way}
          onChange={(event) => setWay(event.currentTarget.value)}
        />
      )}
      <Text c="dimmed" size="sm" className={classes.address}>
        {entry.address}:{entry.port}
      </Text>
      {config ? (
        <>
          <NativeSelect
            size="md"
            label={t('drawer.format')}
            data={entry.configs.map((one) => ({
              value: one.format,
              label: t(`format.${one.format}`),
            }))}
            value={config.format}
            onChange={(event) => setFormat(event.currentTarget.value)}
          />
          <CopyButton
            key={config.text} // what was copied before is not what is shown now
            text={config.text}
            name={entry.name}
            fullWidth
            size="md"
          />
          <Code name={entry.name} config={config} />
          <Text c="dimmed" size="sm">
            {t('drawer.single')}
          </Text>
        </>
      ) : (
        <Text c="dimmed">{t('drawer.none')}</Text>
      )}
    </div>
  )
}

/** Cameras read share links; the other formats are pasted. */
function Code({ name, config }: { name: string; config: NodeEntry['configs'][number] }) {
  const { t } = useTranslation('node')
  const isPinned = config.format === 'pinned_link'
  if (config.format !== 'link' && !isPinned) return null
  return (
    <div className={classes.code}>
      <Qr text={config.text} label={t('drawer.qr', { name })} />
      <Text c="dimmed" size="sm">
        {t('drawer.qrHint')}
      </Text>
      {isPinned && <Text size="sm">{t('drawer.pinnedHint')}</Text>}
    </div>
  )
}
