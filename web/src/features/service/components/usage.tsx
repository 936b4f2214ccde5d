import { Progress } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Bytes } from '@/ui/bytes'
import { barColor, usedPercent } from '../model'
import classes from './card.module.css'

/** The remaining traffic in large type, and the used share of the quota. */
export function Usage({ used, quota }: { used: number; quota: number | null }) {
  const { t } = useTranslation('service')
  const percent = usedPercent({ used, quota })
  return (
    <div>
      <p className={classes.amount}>
        <Bytes bytes={quota === null ? used : Math.max(0, quota - used)} size="figure" />
        <span className={classes.quiet}>
          {quota === null ? (
            t('usedOfUnlimited')
          ) : (
            <>
              {t('leftOf')} <Bytes bytes={quota} />
            </>
          )}
        </span>
      </p>
      {percent !== undefined && (
        <Progress
          value={percent}
          size={6}
          mt="xs"
          color={barColor(percent)}
          aria-label={t('usedPercent', { percent })}
        />
      )}
    </div>
  )
}
