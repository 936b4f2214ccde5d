import type { ComponentProps } from 'react'
import classes from './lined-table.module.css'

type Props = Omit<ComponentProps<'table'>, 'className'> & { className: string | undefined }

/** A table with a line between its rows. Mantine's brings its scroll area to every page. */
export function LinedTable({ className = '', ...props }: Props) {
  return <table className={`${classes.table} ${className}`} {...props} />
}
