import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { shareAccountCodeMutation } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { ShareAccountCode } from '@/lib/api/gen/types.gen'
import { useNow } from '@/lib/now'
import { problemText } from '@/lib/server-problem'
import { CopyButton } from '@/ui/copy-button'
import { FormError } from '@/ui/form-error'
import classes from '../share.module.css'

/** The verification code of a share account. The server makes it on demand and says for how long it is good. */
export function Passcode({ id }: { id: number }) {
  const { t } = useTranslation('share')
  const { t: common } = useTranslation()
  const [end, setEnd] = useState(0)
  const code = useMutation({
    ...shareAccountCodeMutation(),
    // By this device's clock, which need not be right: only how much time passes matters.
    onSuccess: ({ seconds_left: left }) => setEnd(Date.now() + left * 1000),
  })
  return (
    <>
      {code.data && <Shown code={code.data} end={end} />}
      <FormError message={code.error ? problemText(code.error, common) : undefined} />
      <div className={classes.actions}>
        <Button
          variant="default"
          loading={code.isPending}
          onClick={() => code.mutate({ path: { account_id: id } })}
        >
          {code.data ? t('codeNext') : t('code')}
        </Button>
      </div>
    </>
  )
}

function Shown({ code: { code }, end }: { code: ShareAccountCode; end: number }) {
  const { t } = useTranslation('share')
  const left = Math.ceil((end - useNow(500)) / 1000)
  if (left <= 0) {
    return (
      <p role="status" className={classes.quiet}>
        {t('codeOver')}
      </p>
    )
  }
  return (
    <div>
      <div className={classes.head}>
        <output className={classes.code} aria-label={t('codeName')}>
          {code}
        </output>
        <CopyButton size="sm" text={code} name={t('codeName')} />
      </div>
      <p className={classes.quiet}>{t('codeLeft', { count: left })}</p>
    </div>
  )
}
