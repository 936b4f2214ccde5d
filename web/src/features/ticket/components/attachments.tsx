import { Button } from '@mantine/core'
import { useInViewport } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Download, FileText } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { send } from '@/lib/api/client'
import type { Attachment } from '@/lib/api/gen/types.gen'
import { formatBytes } from '@/lib/bytes'
import { problemText } from '@/lib/server-problem'
import { Dialog } from '@/ui/dialog'
import { toast } from '@/ui/toast'
import classes from '../files.module.css'

/** The largest side of a picture within a conversation, in pixels. */
const LARGEST = 320

async function contentOf(file: Attachment, signal?: AbortSignal): Promise<Blob> {
  const address = new URL(`/api/v2/user/ticket-attachments/${file.id}`, location.origin)
  const response = await send(new Request(address, { signal }))
  return new Blob([await response.arrayBuffer()], { type: file.media_type })
}

/** Lets the browser keep a file. */
async function save(file: Attachment): Promise<void> {
  const address = URL.createObjectURL(await contentOf(file))
  const link = document.createElement('a')
  link.href = address
  link.download = file.name
  link.click()
  // The browser reads the address after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** The files of a message. */
export function Attachments({ files }: { files: Attachment[] }) {
  const { t } = useTranslation('ticket')
  if (files.length === 0) return null
  return (
    <ul aria-label={t('files.list')} className={classes.list}>
      {files.map((file) => (
        <li key={file.id}>{file.width > 0 ? <Picture file={file} /> : <Text file={file} />}</li>
      ))}
    </ul>
  )
}

function Text({ file }: { file: Attachment }) {
  const { i18n } = useTranslation('ticket')
  const { t: common } = useTranslation()
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<FileText size={16} />}
      onClick={() =>
        void save(file).catch((error) => void toast('error', problemText(error, common)))
      }
    >
      <span className={classes.name}>{file.name}</span>
      <span className={classes.size}>{formatBytes(file.size, i18n.language)}</span>
    </Button>
  )
}

/** A picture that is fetched once it comes into sight, and opens in a dialog. */
function Picture({ file }: { file: Attachment }) {
  const { t } = useTranslation('ticket')
  const { ref, inViewport } = useInViewport<HTMLButtonElement>()
  const [isOpen, setOpen] = useState(false)
  const content = useQuery({
    queryKey: ['ticket-attachment', file.id],
    queryFn: ({ signal }) => contentOf(file, signal),
    enabled: inViewport || isOpen,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const scale = Math.min(1, LARGEST / Math.max(file.width, file.height))
  return (
    <>
      <button
        ref={ref}
        type="button"
        className={classes.picture}
        aria-label={t('files.open', { name: file.name })}
        style={{ width: file.width * scale, aspectRatio: `${file.width} / ${file.height}` }}
        onClick={() => (content.isError ? void content.refetch() : setOpen(true))}
      >
        {content.data && <Shown content={content.data} alt="" />}
        {content.isError && <span className={classes.problem}>{t('files.lost')}</span>}
      </button>
      {isOpen && (
        <Dialog title={file.name} onClose={() => setOpen(false)}>
          {content.data && (
            <Shown content={content.data} alt={file.name} className={classes.whole} />
          )}
          <Button
            mt="md"
            fullWidth
            leftSection={<Download size={16} />}
            onClick={() => void save(file).catch(() => void toast('error', t('files.lost')))}
          >
            {t('files.save')}
          </Button>
        </Dialog>
      )}
    </>
  )
}

/** A picture that the browser holds. Its address ends with it. */
function Shown({ content, alt, className }: { content: Blob; alt: string; className?: string }) {
  const show = useCallback(
    (image: HTMLImageElement) => {
      const address = URL.createObjectURL(content)
      image.src = address
      return () => URL.revokeObjectURL(address)
    },
    [content],
  )
  return <img ref={show} alt={alt} className={className} />
}
