import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { PushDevice, PushResult } from '@/lib/api/gen/types.gen'
import { problemText } from '@/lib/server-problem'
import { toast } from '@/ui/toast'
import { type PushState, readPushState, subscribe, unsubscribe } from './push'
import { addDevice, pushQuery, removeDevice } from './push-calls'

/** What this browser allows and has. */
export const pushStateQuery = { queryKey: ['push', 'here'], queryFn: readPushState, staleTime: 0 }

/** Whether this device is notified: both the browser and the server must say so. */
export function usePushState({ devices }: PushResult): PushState | undefined {
  const { data } = useQuery(pushStateQuery)
  return data === 'on' && !devices.some((device) => device.is_current) ? 'off' : data
}

/** Turns notices on this device on, and on any device off. */
export function usePushChanges({ public_key: key }: PushResult) {
  const { t } = useTranslation('notices')
  const { t: common } = useTranslation()
  const queryClient = useQueryClient()

  const show = (result: PushResult) => queryClient.setQueryData(pushQuery.queryKey, result)
  const refresh = () => queryClient.invalidateQueries({ queryKey: pushStateQuery.queryKey })

  const turnOn = useMutation({
    mutationFn: async () => {
      const body = await subscribe(key).catch(() => {
        throw new Unreachable()
      })
      if (body) show(await addDevice(body))
    },
    onError: (error) =>
      void toast(
        'error',
        error instanceof Unreachable ? t('push.unreachable') : problemText(error, common),
      ),
    onSettled: refresh,
  })
  const turnOff = useMutation({
    mutationFn: async ({ device_id, is_current }: PushDevice) => {
      show(await removeDevice(device_id))
      if (is_current) await unsubscribe()
    },
    onError: (error) => void toast('error', problemText(error, common)),
    onSettled: refresh,
  })
  return { turnOn, turnOff }
}

/** The browser did not get through to its vendor's push service. */
class Unreachable extends Error {}
