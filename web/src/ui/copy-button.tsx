import { Button, type ButtonProps } from '@mantine/core'
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { copyText } from '@/lib/copy'

const CONFIRM_MS = 2000

/** Copies a text and says so for two seconds. `name` is what is copied, for screen readers. */
export function CopyButton({
  text,
  name,
  ...button
}: ButtonProps & { text: string; name: string }) {
  const { t } = useTranslation()
  const [isCopied, setCopied] = useState(false)

  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), CONFIRM_MS)
    return () => clearTimeout(timer)
  }, [isCopied])

  const Icon = isCopied ? Check : Copy
  return (
    <Button
      variant="default"
      leftSection={<Icon size={16} strokeWidth={1.75} />}
      aria-label={isCopied ? t('copied') : t('copyNamed', { name })}
      onClick={() => void copyText(text).then(setCopied)}
      {...button}
    >
      <span aria-live="polite">{isCopied ? t('copied') : t('copy')}</span>
    </Button>
  )
}
