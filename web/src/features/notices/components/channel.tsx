import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { noticesTestMutation } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { NoticeChannel } from '@/lib/api/gen/types.gen'
import { problemText } from '@/lib/server-problem'
import { toast } from '@/ui/toast'
import classes from '../notices.module.css'

/** One way by which notices reach the user. */
export function Channel(props: {
  icon: LucideIcon
  name: string
  state?: ReactNode
  text: ReactNode
  action: ReactNode
  children?: ReactNode
}) {
  const { icon: Icon } = props
  return (
    <li className={classes.channel}>
      <Icon size={20} strokeWidth={1.75} aria-hidden="true" className={classes.icon} />
      <div className={classes.words}>
        <p className={classes.name}>
          {props.name}
          {props.state}
        </p>
        <div className={classes.text}>{props.text}</div>
        {props.children}
      </div>
      <div className={classes.action}>{props.action}</div>
    </li>
  )
}

export function TestButton({ channel }: { channel: NoticeChannel['channel'] }) {
  const { t } = useTranslation('notices')
  const { t: common } = useTranslation()
  const test = useMutation({
    ...noticesTestMutation(),
    onSuccess: () => void toast('success', t('channels.tested')),
    onError: (error) => void toast('error', problemText(error, common)),
  })
  return (
    <Button
      size="sm"
      variant="default"
      loading={test.isPending}
      aria-label={`${t('channels.test')} (${t(`channels.${channel}`)})`}
      onClick={() => test.mutate({ body: { channel } })}
    >
      {t('channels.test')}
    </Button>
  )
}
