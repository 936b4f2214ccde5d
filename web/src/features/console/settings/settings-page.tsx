import { Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { staffSettingsChange } from '@/lib/api/gen/staff/sdk.gen'
import { siteOptions } from '@/lib/api/site'
import type { SettingList } from '@/lib/api/gen/staff/types.gen'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { SearchField } from '@/ui/search-field'
import { toast } from '@/ui/toast'
import { useListSearch } from '../parts/list-search'
import { type FormValues, ResourceForm } from '../parts/resource-form'
import { LookPreview } from './look-preview'
import { settingsQuery } from './resource'
import { useSettingSections } from './sections'
import classes from './settings.module.css'
import { changeOf, formOf } from './values'

/** What the operator may change while the server runs, area by area. */
export function SettingsPage() {
  const { t } = useTranslation('console/system')
  const query = useQuery(settingsQuery())
  return (
    <div data-wide>
      <PageHeader title={t('settings.title')} about={t('settings.about')} />
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(list) => <Settings list={list} />}
      </Loaded>
    </div>
  )
}

function Settings({ list }: { list: SettingList }) {
  const { search } = useListSearch()
  const area = list.areas.find((one) => one.area === search.area)?.area ?? list.areas[0]?.area ?? ''
  const words = (search.q ?? '').trim()
  // Of what the form shows, whatever is read meanwhile; another round is another form.
  const [read, setRead] = useState({ list, round: 0 })
  return (
    <div className={classes.layout}>
      <Areas list={list} area={words ? '' : area} />
      <SettingsForm
        key={read.round}
        list={read.list}
        area={area}
        words={words}
        onRead={(present) => setRead({ ...read, list: present })}
        onSaved={(saved) => setRead({ list: saved, round: read.round + 1 })}
      />
    </div>
  )
}

function Areas({ list, area }: { list: SettingList; area: string }) {
  const { t } = useTranslation('console/system')
  const { search, change } = useListSearch()
  return (
    <div className={classes.side}>
      <SearchField
        label={t('settings.search')}
        value={search.q ?? ''}
        onSearch={(words) => change({ q: words }, { replace: true })}
      />
      <nav aria-label={t('settings.areas')} className={classes.areas}>
        {list.areas.map((one) => (
          <Link
            key={one.area}
            to="."
            search={{ area: one.area } as never}
            resetScroll={false}
            className={classes.area}
            data-on={one.area === area}
            aria-current={one.area === area ? 'page' : undefined}
          >
            {one.name}
          </Link>
        ))}
      </nav>
    </div>
  )
}

const lookPreview = (values: FormValues) => <LookPreview values={values} />

function SettingsForm(props: {
  list: SettingList
  area: string
  words: string
  onRead: (list: SettingList) => void
  onSaved: (list: SettingList) => void
}) {
  const { t } = useTranslation('console/system')
  const queryClient = useQueryClient()
  const { change } = useListSearch()
  const { list } = props
  const save = async (values: FormValues, changed: readonly string[]) => {
    try {
      const { data } = await staffSettingsChange({
        headers: { 'If-Match': `"${list.version}"` },
        body: changeOf(list, values, changed),
        throwOnError: true,
      })
      queryClient.setQueryData(settingsQuery().queryKey, data)
    } catch (error) {
      showArea(error)
      throw error
    }
  }
  /** What was refused may stand in an area that is not drawn. */
  const showArea = (error: unknown) => {
    const name = error instanceof ApiError ? error.fields[0]?.field : undefined
    const wrong = [...list.settings, ...list.secrets].find((one) => one.name === name)
    if (wrong && wrong.area !== props.area) change({ area: wrong.area, q: undefined })
  }
  const reload = async () => {
    const present = await queryClient.fetchQuery({ ...settingsQuery(), staleTime: 0 })
    props.onRead(present)
    return formOf(present)
  }
  /** Another form, of what the server has now. */
  const begin = () => {
    void queryClient.invalidateQueries({ queryKey: siteOptions().queryKey })
    props.onSaved(queryClient.getQueryData(settingsQuery().queryKey) ?? list)
  }
  return (
    <ResourceForm
      draftKey="settings"
      initial={formOf(list)}
      sections={useSettingSections(list, props)}
      submit={t('settings.save')}
      save={save}
      reload={reload}
      {...(props.area === 'look' && !props.words && { aside: lookPreview })}
      onSaved={() => {
        void toast('success', t('settings.saved'))
        begin()
      }}
      onReceived={begin}
    />
  )
}
