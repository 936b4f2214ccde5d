import { Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useSiteName } from '@/lib/site-name'
import { Breadcrumbs } from './breadcrumbs'
import classes from './page-header.module.css'

/** First thing of every signed-in page: the way back up, its title, one line about it, its primary action. Names the browser tab too. */
export function PageHeader(props: { title: string; about?: string; action?: ReactNode }) {
  const siteName = useSiteName()
  return (
    <header className={classes.header}>
      <title>{`${props.title} · ${siteName}`}</title>
      <div className={classes.words}>
        <Breadcrumbs current={props.title} />
        <Title order={1} tabIndex={-1}>
          {props.title}
        </Title>
        {props.about && (
          <Text c="dimmed" mt={4}>
            {props.about}
          </Text>
        )}
      </div>
      {props.action}
    </header>
  )
}
