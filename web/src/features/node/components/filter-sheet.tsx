import { Button, NativeSelect, Switch } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { NodeInfo } from '@/lib/api/gen/types.gen'
import { Sheet } from '@/ui/sheet'
import { choicesOf, countFilters, type Filter, protocolName, sorts } from '../model'
import { useFilter } from '../use-filter'
import classes from './filter-sheet.module.css'

const none: Filter = {
  country: undefined,
  protocol: undefined,
  online: undefined,
  favourites: undefined,
  sort: undefined,
}

/** All filters and the order on a sheet from below; the list behind it follows at once. */
export function FilterSheet(props: {
  nodes: readonly NodeInfo[]
  found: number
  opened: boolean
  onClose: () => void
}) {
  const { t } = useTranslation('node')
  const { filter, change } = useFilter()
  return (
    <Sheet
      opened={props.opened}
      onClose={props.onClose}
      position="bottom"
      title={t('filter.title')}
      classNames={{ content: classes.content, body: classes.body }}
    >
      <Choices nodes={props.nodes} />
      <Toggles />
      <div className={classes.actions}>
        <Button
          variant="default"
          disabled={countFilters(filter) === 0}
          onClick={() => change(none)}
        >
          {t('clear')}
        </Button>
        <Button onClick={props.onClose}>{t('filter.show', { count: props.found })}</Button>
      </div>
    </Sheet>
  )
}

function Choices({ nodes }: { nodes: readonly NodeInfo[] }) {
  const { t, i18n } = useTranslation('node')
  const { filter, change } = useFilter()
  const { countries, protocols } = choicesOf(nodes, i18n.language)
  return (
    <>
      <NativeSelect
        size="md"
        label={t('country')}
        value={filter.country ?? ''}
        data={[
          { value: '', label: t('filter.all') },
          ...countries.map(({ code, name }) => ({ value: code, label: name || t('unknown') })),
        ]}
        onChange={({ currentTarget: { value } }) => change({ country: value || undefined })}
      />
      <NativeSelect
        size="md"
        label={t('protocol')}
        value={filter.protocol ?? ''}
        data={[
          { value: '', label: t('filter.all') },
          ...protocols.map((value) => ({ value, label: protocolName(value) })),
        ]}
        onChange={({ currentTarget: { value } }) => change({ protocol: value || undefined })}
      />
      <NativeSelect
        size="md"
        label={t('sort.by')}
        value={filter.sort ?? ''}
        data={[
          { value: '', label: t('sort.none') },
          ...sorts.map((value) => ({ value, label: t(`sort.${value}`) })),
        ]}
        onChange={({ currentTarget: { value } }) => change({ sort: value || undefined })}
      />
    </>
  )
}

function Toggles() {
  const { t } = useTranslation('node')
  const { filter, change } = useFilter()
  return (
    <div>
      <Switch
        classNames={toggle}
        labelPosition="left"
        label={t('onlineOnly')}
        checked={filter.online ?? false}
        onChange={({ currentTarget: { checked } }) => change({ online: checked || undefined })}
      />
      <Switch
        classNames={toggle}
        labelPosition="left"
        label={t('favouritesOnly')}
        checked={filter.favourites ?? false}
        onChange={({ currentTarget: { checked } }) => change({ favourites: checked || undefined })}
      />
    </div>
  )
}

const toggle = {
  body: classes.toggle,
  labelWrapper: classes.toggleText,
  label: classes.toggleLabel,
}
