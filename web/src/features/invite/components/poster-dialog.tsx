import { Button } from '@mantine/core'
import { Download } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { InviteResult } from '@/lib/api/gen/types.gen'
import { useSiteName } from '@/lib/site-name'
import { Dialog } from '@/ui/dialog'
import { encodeQr } from '@/ui/qr'

const WIDTH = 720
const HEIGHT = 1080
const QR_SIZE = 400

type Words = { site: string; title: string; code: string; hint: string; link: string }

/** A picture with the invite link to save and send. */
export function PosterDialog(props: {
  invite: Pick<InviteResult, 'invite_code' | 'invite_link'>
  onClose: () => void
}) {
  const { invite, onClose } = props
  const { t } = useTranslation('invite')
  const site = useSiteName()
  // The dialog is loaded late, and the canvas with it.
  const [canvas, setCanvas] = useState<HTMLCanvasElement | null>(null)
  const words: Words = {
    site,
    title: t('poster.invited', { site }),
    code: t('poster.code', { code: invite.invite_code }),
    hint: t('poster.hint'),
    link: invite.invite_link,
  }
  useEffect(() => {
    const context = canvas?.getContext('2d')
    if (context) drawPoster(context, words)
  })
  const save = () =>
    canvas?.toBlob((blob) => {
      if (!blob) return
      const address = URL.createObjectURL(blob)
      const link = document.createElement('a')
      link.href = address
      link.download = `${invite.invite_code}.png`
      link.click()
      setTimeout(() => URL.revokeObjectURL(address))
    })
  return (
    <Dialog onClose={onClose} title={t('poster.title')}>
      <canvas
        ref={setCanvas}
        width={WIDTH}
        height={HEIGHT}
        role="img"
        aria-label={t('poster.about', { site, code: invite.invite_code })}
        // A fixed picture, whatever the scheme.
        style={{ width: '100%', borderRadius: 12, display: 'block' }}
      />
      <Button mt="md" fullWidth leftSection={<Download size={16} />} onClick={save}>
        {t('poster.save')}
      </Button>
    </Dialog>
  )
}

function drawPoster(context: CanvasRenderingContext2D, words: Words): void {
  const back = context.createLinearGradient(0, 0, 0, HEIGHT)
  back.addColorStop(0, '#0d5c71')
  back.addColorStop(1, '#083a48')
  context.fillStyle = back
  context.fillRect(0, 0, WIDTH, HEIGHT)

  const font = '"PingFang SC", "Noto Sans SC", "Microsoft YaHei", system-ui, sans-serif'
  const write = (text: string, y: number, size: number, weight = 400) => {
    context.fillStyle = '#ffffff'
    context.textAlign = 'center'
    context.font = `${weight} ${size}px ${font}`
    context.fillText(text, WIDTH / 2, y, WIDTH - 96)
  }
  write(words.site, 160, 56, 600)
  write(words.title, 236, 34)

  const left = (WIDTH - QR_SIZE) / 2
  context.fillStyle = '#ffffff'
  context.fillRect(left - 24, 316, QR_SIZE + 48, QR_SIZE + 48)
  const { data, size } = encodeQr(words.link)
  const cell = QR_SIZE / size
  context.fillStyle = '#000000'
  data.forEach((row, y) =>
    row.forEach((isDark, x) => {
      // Rounded up, so that no gaps show between cells.
      if (isDark)
        context.fillRect(left + x * cell, 340 + y * cell, Math.ceil(cell), Math.ceil(cell))
    }),
  )
  write(words.code, 860, 40, 600)
  write(words.hint, 930, 28)
}
