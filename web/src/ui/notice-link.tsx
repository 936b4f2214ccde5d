import { Button } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'
import { Notice } from './notice'

type Props = Pick<AnchorHTMLAttributes<HTMLAnchorElement>, 'href' | 'onClick' | 'children'> & {
  tone: 'warning' | 'error'
  /** What is wrong; the children name the page that helps. */
  text: string
  ref?: Ref<HTMLAnchorElement>
}

/** A notice whose one action leads to another page. */
export const NoticeLink = createLink(({ tone, text, ...link }: Props) => (
  <Notice tone={tone} action={<Button component="a" size="sm" {...link} />}>
    {text}
  </Notice>
))
