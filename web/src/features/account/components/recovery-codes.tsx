import { Button, Group, Stack, Text } from '@mantine/core'
import { Download } from 'lucide-react'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '@/ui/copy-button'
import { CheckField } from './check-field'
import classes from './recovery-codes.module.css'

/** The codes, shown this once: to copy or keep as a file. Nothing leads away before the user says that they are saved. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { t } = useTranslation('security')
  const text = codes.join('\n')
  const file = useMemo(() => `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`, [text])
  const [isSaved, setSaved] = useState(false)
  useBlocker({ shouldBlockFn: () => !isSaved, enableBeforeUnload: () => !isSaved })
  const list = useRef<HTMLUListElement>(null)
  // They take the place of a form that had the focus.
  useEffect(() => list.current?.focus(), [])
  return (
    <Stack gap="md">
      <Text>{t('codes.text')}</Text>
      <ul ref={list} tabIndex={-1} className={classes.codes} aria-label={t('codes.title')}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="sm">
        <CopyButton text={text} name={t('codes.title')} />
        <Button
          component="a"
          variant="default"
          href={file}
          download="recovery-codes.txt"
          leftSection={<Download size={16} strokeWidth={1.75} aria-hidden="true" />}
        >
          {t('codes.save')}
        </Button>
      </Group>
      <CheckField
        label={t('codes.saved')}
        checked={isSaved}
        onChange={(event) => setSaved(event.currentTarget.checked)}
      />
      <Button disabled={!isSaved} onClick={onDone}>
        {t('codes.done')}
      </Button>
    </Stack>
  )
}
