import { Button, Group, Menu, Text } from '@mantine/core'
import { ListChecks } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '@/lib/lazy-part'
import { useMay } from '../parts/permissions'
import { bulkKinds, type BulkKind, type Chosen } from './bulk-kinds'

const BulkDialog = lazyPart(() => import('./bulk-dialog'), 'BulkDialog')

/** What may be done with the users that are chosen, or with all that the filter finds. */
export function BulkBar(props: {
  ids: readonly number[]
  filter: Record<string, string>
  onClear: () => void
}) {
  const { t } = useTranslation('console/bulk')
  const may = useMay()
  const [asked, setAsked] = useState<{ kind: BulkKind; chosen: Chosen }>()
  const filter = new URLSearchParams(props.filter)
  filter.delete('sort')
  if (!may('user.bulk') || (props.ids.length === 0 && filter.size === 0)) return null
  const count = props.ids.length
  return (
    <Group gap="sm" mb="sm" role="group" aria-label={t('bar')}>
      {count > 0 && (
        <>
          <Text size="sm" role="status">
            {t('chosen', { count })}
          </Text>
          <Kinds
            label={t('doChosen')}
            onChoose={(kind) => setAsked({ kind, chosen: { ids: [...props.ids] } })}
          />
          <Button size="xs" variant="subtle" color="gray" onClick={props.onClear}>
            {t('clear')}
          </Button>
        </>
      )}
      {filter.size > 0 && (
        <Kinds
          label={t('doAll')}
          onChoose={(kind) => setAsked({ kind, chosen: { filter: filter.toString() } })}
        />
      )}
      {asked && (
        <Suspense>
          <BulkDialog {...asked} onClose={() => setAsked(undefined)} />
        </Suspense>
      )}
    </Group>
  )
}

function Kinds(props: { label: string; onChoose: (kind: BulkKind) => void }) {
  const { t } = useTranslation('console/bulk')
  const may = useMay()
  return (
    <Menu position="bottom-start" shadow="md" width={220} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<ListChecks size={16} strokeWidth={1.75} aria-hidden="true" />}
        >
          {props.label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {bulkKinds
          .filter(({ permission }) => may(permission))
          .map(({ kind }, index) => (
            <Menu.Item
              key={kind}
              data-autofocus={index === 0 || undefined}
              onClick={() => props.onChoose(kind)}
            >
              {t(`kind.${kind}`)}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  )
}
