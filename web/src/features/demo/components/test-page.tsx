import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import classes from './test-page.module.css'

const testPages = [
  'test1',
  'test2',
  'test3',
  'test4',
  'test5',
  'test6',
  'test7',
  'test8',
  'shop-demo',
  'dashboard-demo',
  'api-example',
] as const

/** The frame of every test page: its title, and the way to all others. */
export function TestPage(props: { name: (typeof testPages)[number]; children: ReactNode }) {
  const { t } = useTranslation('demo')
  return (
    <>
      <PageHeader title={t(`title.${props.name}`)} about={t(`about.${props.name}`)} />
      <nav aria-label={t('pages')} className={classes.pages}>
        {testPages.map((name) => (
          <TextLink
            key={name}
            to={`/test-page/${name}`}
            activeProps={{ 'aria-current': 'page', className: classes.current }}
          >
            {t(`title.${name}`)}
          </TextLink>
        ))}
      </nav>
      <div className={classes.page}>{props.children}</div>
    </>
  )
}
