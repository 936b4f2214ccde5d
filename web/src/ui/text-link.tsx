import { Anchor, type AnchorProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'

type Props = AnchorProps &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps> & {
    ref?: Ref<HTMLAnchorElement>
  }

/** A link in a sentence, to a page of this site. */
export const TextLink = createLink((props: Props) => (
  <Anchor underline="always" inherit {...props} />
))
