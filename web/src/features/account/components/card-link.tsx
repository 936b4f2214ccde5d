import { createLink } from '@tanstack/react-router'
import { ChevronRight, type LucideIcon } from 'lucide-react'
import type { AnchorHTMLAttributes, Ref } from 'react'
import classes from './card-link.module.css'

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & {
  icon: LucideIcon
  title: string
  text: string
  ref?: Ref<HTMLAnchorElement>
}

/** A whole card that leads somewhere. */
export const CardLink = createLink(({ icon: Icon, title, text, ...anchor }: Props) => (
  <a {...anchor} className={classes.link}>
    <Icon size={20} strokeWidth={1.75} aria-hidden="true" className={classes.icon} />
    <span className={classes.words}>
      <span className={classes.title}>{title}</span>
      <span className={classes.text}>{text}</span>
    </span>
    <ChevronRight size={18} strokeWidth={1.75} aria-hidden="true" className={classes.arrow} />
  </a>
))
