import { Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SettingItem } from '@/lib/api/gen/staff/types.gen'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { historyOf } from './resource'
import classes from './settings.module.css'
import { inputOf } from './values'

type Props = {
  item: SettingItem
  /** Puts a value into the form, where it waits to be saved. */
  onSet: (value: unknown) => void
  isLocked: boolean
}

/** Below a setting: its default, who changed it when, and what it was before. */
export function SettingFoot(props: Props) {
  const { t } = useTranslation('console/system')
  const { item } = props
  const words = useValueWords(item)
  const [isOpen, setOpen] = useState(false)
  const wasChanged = item.changed_by !== '' || item.is_changed
  if (!wasChanged) return null
  return (
    <div className={classes.foot}>
      {item.is_changed && <span>{t('settings.default', { value: words(item.default) })}</span>}
      {item.changed_at && (
        <span>
          {t('settings.changed')} <Moment time={item.changed_at} withTime />
          {item.changed_by && ` · ${item.changed_by}`}
        </span>
      )}
      <span className={classes.buttons}>
        {item.is_changed && !props.isLocked && (
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={t('settings.resetOf', { name: item.title })}
            onClick={() => props.onSet(item.default)}
          >
            {t('settings.reset')}
          </Button>
        )}
        <Button
          variant="subtle"
          size="compact-sm"
          aria-expanded={isOpen}
          aria-label={t('settings.historyOf', { name: item.title })}
          onClick={() => setOpen(!isOpen)}
        >
          {t('settings.history')}
        </Button>
      </span>
      {isOpen && <History {...props} />}
    </div>
  )
}

function useValueWords(item: SettingItem) {
  const { t } = useTranslation('console/parts')
  return (value: unknown): string => {
    const input = inputOf(item.kind, value)
    if (typeof input === 'boolean') return t(input ? 'form.on' : 'form.off')
    const choice = item.choices.find((one) => one.value === input)
    return choice?.text ?? (input.replaceAll('\n', ', ') || '—')
  }
}

function History({ item, onSet, isLocked }: Props) {
  const { t } = useTranslation('console/system')
  const query = useQuery(historyOf(item.name))
  const words = useValueWords(item)
  return (
    <Loaded query={query} skeleton={<Skeleton height={40} />}>
      {(versions) => (
        <ol className={classes.history} aria-label={t('settings.historyOf', { name: item.title })}>
          {versions.length === 0 && <li>{t('settings.noHistory')}</li>}
          {versions.map((one) => (
            <li key={one.entry_id}>
              <span>
                <Moment time={one.at} withTime /> · {one.by}
                {one.reason && ` · ${one.reason}`}
              </span>
              <span>
                {words(one.before)} → {words(one.after)}
              </span>
              {!isLocked && one.before !== null && (
                <Button variant="subtle" size="compact-sm" onClick={() => onSet(one.before)}>
                  {t('settings.restore', { value: words(one.before) })}
                </Button>
              )}
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  )
}
