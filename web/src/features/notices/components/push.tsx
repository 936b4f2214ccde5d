import { Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { BellRing } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { PushDevice, PushResult } from '@/lib/api/gen/types.gen'
import { problemText } from '@/lib/server-problem'
import { Moment } from '@/ui/moment'
import { StatusDot } from '@/ui/status-dot'
import { pushQuery } from '../push-calls'
import { usePushChanges, usePushState } from '../use-push'
import { Channel, TestButton } from './channel'
import classes from '../notices.module.css'

/** Notices in the browsers that the user turned them on in. */
export function Push() {
  const { t } = useTranslation('notices')
  const { t: common } = useTranslation()
  const { data, error } = useQuery(pushQuery)
  if (data) return <Found result={data} />
  return (
    <Channel
      icon={BellRing}
      name={t('channels.push')}
      text={error ? problemText(error, common) : <Skeleton height={20} width="60%" />}
      action={null}
    />
  )
}

function Found({ result }: { result: PushResult }) {
  const { t } = useTranslation('notices')
  const state = usePushState(result)
  const { turnOn, turnOff } = usePushChanges(result)
  const own = result.devices.find((device) => device.is_current)
  return (
    <Channel
      icon={BellRing}
      name={t('channels.push')}
      state={
        state && (
          <StatusDot tone={state === 'on' ? 'success' : 'neutral'}>
            {t(state === 'on' ? 'push.on' : 'push.off')}
          </StatusDot>
        )
      }
      text={state && t(`push.${state}Text`)}
      action={
        <>
          {result.devices.length > 0 && <TestButton channel="push" />}
          {state === 'off' && (
            <Button size="sm" loading={turnOn.isPending} onClick={() => turnOn.mutate()}>
              {t('push.turnOn')}
            </Button>
          )}
        </>
      }
    >
      {own && state === 'on' && !own.is_remembered && (
        <p className={classes.text}>{t('push.notRemembered')}</p>
      )}
      {result.devices.length > 0 && (
        <ul className={classes.devices} aria-label={t('push.devices')}>
          {result.devices.map((device) => (
            <Device
              key={device.device_id}
              device={device}
              isPending={turnOff.isPending && turnOff.variables.device_id === device.device_id}
              onRemove={() => turnOff.mutate(device)}
            />
          ))}
        </ul>
      )}
    </Channel>
  )
}

function Device(props: { device: PushDevice; isPending: boolean; onRemove: () => void }) {
  const { device } = props
  const { t } = useTranslation('notices')
  const name = [device.browser, device.system].filter(Boolean).join(' · ') || t('push.unknown')
  return (
    <li className={classes.device}>
      <span>
        {name}
        {device.is_current && ` (${t('push.here')})`}
        <span className={classes.text}>
          {t('push.since')} <Moment time={device.created_at} />
        </span>
      </span>
      <Button
        size="compact-sm"
        variant="subtle"
        loading={props.isPending}
        aria-label={t('push.removeNamed', { device: name })}
        onClick={props.onRemove}
      >
        {t('push.remove')}
      </Button>
    </li>
  )
}
