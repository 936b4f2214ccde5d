import { Button } from '@mantine/core'
import { useInViewport } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Download, FileText } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Attachment } from '@/lib/api/gen/staff/types.gen'
import { formatBytes } from '@/lib/bytes'
import { saveFile } from '@/lib/save-file'
import { problemText } from '@/lib/server-problem'
import { Dialog } from '@/ui/dialog'
import { dismissErrors, toast } from '@/ui/toast'
import { sendAsStaff } from '../parts/refusals'
import classes from './tickets.module.css'

/** The largest side of a picture within a conversation, in pixels: as the customer sees it. */
const LARGEST_PX = 320

async function contentOf(file: Attachment, signal?: AbortSignal): Promise<Blob> {
  const address = new URL(`/api/v2/staff/ticket-attachments/${file.id}`, location.origin)
  const response = await sendAsStaff(new Request(address, { signal: signal ?? null }))
  return new Blob([await response.arrayBuffer()], { type: file.media_type })
}

/** Gives what lets the browser keep a file. */
function useSave() {
  const { t: common } = useTranslation()
  return async (file: Attachment) => {
    dismissErrors()
    try {
      saveFile(file.name, await contentOf(file))
    } catch (error) {
      await toast('error', problemText(error, common))
    }
  }
}

/** A file that is no picture, with its name and size. */
export function FileButton({ file }: { file: Attachment }) {
  const { i18n } = useTranslation()
  const save = useSave()
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<FileText size={16} strokeWidth={1.75} aria-hidden="true" />}
      onClick={() => void save(file)}
    >
      {file.name} · {formatBytes(file.size, i18n.language)}
    </Button>
  )
}

/** A picture that is fetched once it comes into sight, and opens in a dialog. */
export function Picture({ file }: { file: Attachment }) {
  const { t } = useTranslation('console/ticket')
  const { ref, inViewport } = useInViewport<HTMLButtonElement>()
  const [isOpen, setOpen] = useState(false)
  const save = useSave()
  const content = useQuery({
    // Not below `console`: a file never changes, whatever is done to its ticket.
    queryKey: ['console-attachment', file.id],
    queryFn: ({ signal }) => contentOf(file, signal),
    enabled: inViewport || isOpen,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const scale = Math.min(1, LARGEST_PX / Math.max(file.width, file.height))
  return (
    <>
      <button
        ref={ref}
        type="button"
        className={classes.picture}
        aria-label={t('picture.open', { name: file.name })}
        style={{ width: file.width * scale, aspectRatio: `${file.width} / ${file.height}` }}
        onClick={() => (content.isError ? void content.refetch() : setOpen(true))}
      >
        {content.data && <Shown content={content.data} alt="" />}
        {content.isError && t('picture.lost')}
      </button>
      {isOpen && (
        <Dialog title={file.name} onClose={() => setOpen(false)}>
          {content.data && (
            <Shown content={content.data} alt={file.name} className={classes.whole} />
          )}
          <Button
            mt="md"
            fullWidth
            leftSection={<Download size={16} strokeWidth={1.75} aria-hidden="true" />}
            onClick={() => void save(file)}
          >
            {t('picture.save')}
          </Button>
        </Dialog>
      )}
    </>
  )
}

/** A picture that the browser holds. Its address ends with it. */
function Shown(props: { content: Blob; alt: string; className?: string | undefined }) {
  const { content, alt, className } = props
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
