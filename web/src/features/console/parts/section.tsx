import { Card, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './section.module.css'

/** A card with a title, of a page about one object. */
export function Section(props: { title: string; children: ReactNode }) {
  return (
    <Card component="section" aria-label={props.title}>
      <Title order={2} size="h3" mb="sm">
        {props.title}
      </Title>
      {props.children}
    </Card>
  )
}

/** Lines of a section, or a word where there is none. */
export function Items(props: { empty?: string; children: readonly ReactNode[] }) {
  if (props.children.length === 0) return <Text c="dimmed">{props.empty}</Text>
  return <ul className={classes.items}>{props.children}</ul>
}

/** What it is, its state, and a line about it. */
export function Item(props: { name: ReactNode; state: ReactNode; about: ReactNode }) {
  return (
    <li className={classes.item}>
      <span>{props.name}</span>
      {props.state}
      <span className={classes.about}>{props.about}</span>
    </li>
  )
}

/** What an object consists of, and beside it what is known of it. */
export function MainAndSide(props: { main: ReactNode; side: ReactNode }) {
  return (
    <div className={classes.page}>
      <div className={classes.column}>{props.main}</div>
      <div className={classes.column}>{props.side}</div>
    </div>
  )
}

/** Text as a machine sent it. */
export function Raw({ children }: { children: string }) {
  return (
    // It scrolls, so the keyboard must reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className={classes.raw} tabIndex={0}>
      {children}
    </pre>
  )
}
