import { Card, NativeSelect, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { BookOpen, ChevronRight } from 'lucide-react'
import type { ReactElement } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuideItem } from '@/lib/api/gen/types.gen'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { SearchField } from '@/ui/search-field'
import { TextLink } from '@/ui/text-link'
import classes from './guide.module.css'
import { guidesWith } from './queries'
import { systems, systemName } from './systems'

const route = getRouteApi('/user/guides/')

/** The help pages, by category; searched by words, and narrowed to a system. */
export function GuidesPage(): ReactElement {
  const { t } = useTranslation('guide')
  const { q, system } = route.useSearch()
  const navigate = route.useNavigate()
  const guides = useQuery(guidesWith(q))
  const change = (part: {
    q?: string | undefined
    system?: (typeof systems)[number] | undefined
  }) =>
    void navigate({
      search: (now) => ({ ...now, ...part }),
      replace: true,
      resetScroll: false,
    })
  return (
    <>
      <PageHeader title={t('title')} about={t('about')} />
      <div role="search" className={classes.filters}>
        <SearchField
          className={classes.search}
          label={t('search')}
          value={q ?? ''}
          onSearch={(words) => change({ q: words || undefined })}
        />
        <NativeSelect
          aria-label={t('system')}
          value={system ?? ''}
          data={[
            { value: '', label: t('allSystems') },
            ...systems.map((value) => ({ value, label: systemName(value) })),
          ]}
          onChange={({ currentTarget }) =>
            change({ system: systems.find((one) => one === currentTarget.value) })
          }
        />
      </div>
      <Loaded query={guides} skeleton={<Skeleton height={240} radius="lg" />} hasCards>
        {(list) => (
          <Categories
            isSearch={Boolean(q ?? system)}
            list={list.filter(
              (one) => !system || one.systems.length === 0 || one.systems.includes(system),
            )}
          />
        )}
      </Loaded>
    </>
  )
}

function Categories({ list, isSearch }: { list: GuideItem[]; isSearch: boolean }) {
  const { t } = useTranslation('guide')
  if (list.length === 0) {
    return (
      <Card>
        <Empty
          icon={BookOpen}
          text={isSearch ? t('nothing') : t('empty')}
          action={
            isSearch && (
              <TextLink to="/user/guides" search={{}}>
                {t('clear')}
              </TextLink>
            )
          }
        />
      </Card>
    )
  }
  return (
    <div className={classes.categories}>
      {[...new Set(list.map(({ category }) => category))].map((category) => (
        <section key={category} aria-label={category}>
          <h2 className={classes.category}>{category}</h2>
          <ul className={classes.list}>
            {list
              .filter((one) => one.category === category)
              .map((one) => (
                <Row key={one.slug} one={one} />
              ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function Row({ one }: { one: GuideItem }) {
  return (
    <li>
      <TextLink
        to="/user/guides/$slug"
        params={{ slug: one.slug }}
        underline="never"
        className={classes.row}
      >
        <span>
          <span className={classes.title}>{one.title}</span>
          {one.systems.length > 0 && (
            <span className={classes.systems}>{one.systems.map(systemName).join(' · ')}</span>
          )}
        </span>
        <ChevronRight size={18} strokeWidth={1.75} aria-hidden="true" />
      </TextLink>
    </li>
  )
}
