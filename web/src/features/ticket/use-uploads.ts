import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { ticketAttachmentRemove } from '@/lib/api/gen/sdk.gen'
import type { Attachment } from '@/lib/api/gen/types.gen'
import { upload, type UploadOptions } from '@/lib/api/upload'
import { problemText } from '@/lib/server-problem'
import { toast } from '@/ui/toast'
import { newIdempotencyKey } from '@/lib/idempotency-key'

export const MAX_FILES = 5
const MAX_BYTES = 5 * 1024 * 1024

/** A connection that broke is tried again so often by itself, with a pause that grows. */
const TRIES = 3
const PAUSE_MS = 2_000

/** What pictures and logs the server takes, as browsers understand it in a dialog for files. */
export const ACCEPTED =
  'image/png,image/jpeg,image/gif,image/webp,text/plain,.txt,.log,.json,.yaml,.yml,.conf,.cfg,.ini,.toml,.csv,.md'

/** A file that is not at the server yet. */
export type Pending = {
  id: string
  file: File
  /** How much was sent, from 0 to 1. */
  share: number
  /** Why it did not arrive; undefined while it is on its way. */
  problem?: string
}

/** Uploads a file, again and again where the connection breaks. */
async function deliver(address: string, file: File, options: UploadOptions): Promise<Attachment> {
  for (let tried = 1; ; tried += 1) {
    try {
      return (await upload(address, file, options)) as Attachment
    } catch (error) {
      const isLost = error instanceof ApiError && error.status === 0
      if (!isLost || tried === TRIES || options.signal.aborted) throw error
    }
    await new Promise((done) => setTimeout(done, PAUSE_MS * tried))
  }
}

/** Which of the chosen files can be sent, and what is to be said of the others. */
function select(chosen: Iterable<File>, room: number) {
  const all = [...chosen]
  const fitting = all.filter(({ size }) => size > 0 && size <= MAX_BYTES)
  return {
    taken: fitting.slice(0, Math.max(0, room)),
    refused: all.filter((file) => !fitting.includes(file)),
    isTooMany: fitting.length > room,
  }
}

/**
 * The files of a message that is being written. Each is uploaded by itself as soon as it is chosen, under an id of its own:
 * sent again after a lost connection it arrives once. What has arrived is kept with the draft.
 */
export function useUploads(
  files: Attachment[],
  change: (make: (before: Attachment[]) => Attachment[]) => void,
) {
  const { t } = useTranslation('ticket')
  const { t: common } = useTranslation()
  const [pending, setPending] = useState<Pending[]>([])
  const leaving = useRef(new Map<string, AbortController>())
  useEffect(() => {
    const all = leaving.current
    return () => all.forEach((one) => one.abort())
  }, [])

  const update = (id: string, what: Partial<Pending>) =>
    setPending((before) => before.map((one) => (one.id === id ? { ...one, ...what } : one)))

  const start = async ({ id, file }: Pick<Pending, 'id' | 'file'>) => {
    const control = new AbortController()
    leaving.current.set(id, control)
    update(id, { problem: undefined, share: 0 })
    const address = `/api/v2/user/ticket-attachments/${id}?name=${encodeURIComponent(file.name)}`
    try {
      const stored = await deliver(address, file, {
        signal: control.signal,
        onProgress: (share) => update(id, { share }),
      })
      if (control.signal.aborted) return
      setPending((before) => before.filter((one) => one.id !== id))
      change((before) => [...before, stored])
    } catch (error) {
      if (!control.signal.aborted) update(id, { problem: problemText(error, common) })
    }
  }

  const add = (chosen: Iterable<File>) => {
    const found = select(chosen, MAX_FILES - files.length - pending.length)
    for (const { name } of found.refused) void toast('error', t('files.size', { name }))
    if (found.isTooMany) void toast('error', t('files.tooMany', { count: MAX_FILES }))
    const taken = found.taken.map((file) => ({ id: newId(), file, share: 0 }))
    setPending((before) => [...before, ...taken])
    taken.forEach((one) => void start(one))
  }

  const remove = (id: string) => {
    leaving.current.get(id)?.abort()
    setPending((before) => before.filter((one) => one.id !== id))
    change((before) => before.filter((one) => one.id !== id))
    // What stays behind is removed by the server after a day.
    void ticketAttachmentRemove({ path: { attachment_id: id } }).catch(() => undefined)
  }

  return {
    files,
    pending,
    isBusy: pending.some(({ problem }) => problem === undefined),
    add,
    retry: (one: Pending) => void start(one),
    remove,
  }
}

export type Uploads = ReturnType<typeof useUploads>

/** A UUID also where the page has no secure context. */
function newId(): string {
  const digits = newIdempotencyKey()
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20)}`
}
