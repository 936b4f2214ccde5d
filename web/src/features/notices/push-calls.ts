import { send, unwrap } from '@/lib/api/client'
import type {
  PushBody,
  PushDevice,
  PushGetData,
  PushGetResponse,
  PushResult,
} from '@/lib/api/gen/types.gen'

// The calls for push notices, apart from the generated client, which every page carries.

const path: PushGetData['url'] = '/api/v2/user/account/push'

export const pushQuery = {
  queryKey: ['push'],
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<PushGetResponse> =>
    call(path, { signal }),
}

export const addDevice = (body: PushBody) =>
  call(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

export const removeDevice = (id: PushDevice['device_id']) =>
  call(`${path}/${id}`, { method: 'DELETE' })

async function call(address: string, init: RequestInit): Promise<PushResult> {
  const response = await send(new Request(new URL(address, location.origin), init))
  return unwrap(await response.json()) as PushResult
}
