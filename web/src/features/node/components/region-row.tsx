import { UnstyledButton } from '@mantine/core'
import { ChevronDown, Star } from 'lucide-react'
import { memo, type Ref } from 'react'
import { useTranslation } from 'react-i18next'
import { countryName, FAVOURITES, type Group } from '../model'
import { Flag } from './flag'
import classes from './node-list.module.css'

type Props = {
  group: Group
  isClosed: boolean
  index: number
  top: number
  measure: Ref<HTMLDivElement>
  onToggle: (code: string) => void
}

/** The head of a region's nodes, which opens and closes it. */
export const RegionRow = memo(function RegionRow(props: Props) {
  const { t, i18n } = useTranslation('node')
  const { code, nodes } = props.group
  const isFavourites = code === FAVOURITES
  return (
    <div
      role="row"
      aria-rowindex={props.index + 2}
      className={classes.region}
      ref={props.measure}
      data-index={props.index}
      style={{ transform: `translateY(${props.top}px)` }}
    >
      <div role="rowheader" aria-colspan={6}>
        <UnstyledButton
          className={classes.fold}
          aria-expanded={!props.isClosed}
          onClick={() => props.onToggle(code)}
        >
          {isFavourites ? (
            <Star size={18} strokeWidth={1.75} aria-hidden="true" className={classes.favourites} />
          ) : (
            <Flag code={code} />
          )}
          <span className={classes.regionName}>
            {isFavourites ? t('favourites') : countryName(code, i18n.language) || t('unknown')}
          </span>{' '}
          <span className={classes.regionCount}>{t('region', { count: nodes.length })}</span>
          <ChevronDown
            size={18}
            strokeWidth={1.75}
            aria-hidden="true"
            className={classes.arrowDown}
          />
        </UnstyledButton>
      </div>
    </div>
  )
})
