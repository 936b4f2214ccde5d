import { Button, Group, Stack, Text } from '@mantine/core'
import { Download } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '@/shared/ui/copy-button'
import classes from './recovery-codes.module.css'

/** The codes, shown this once: to copy or keep as a file. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { t } = useTranslation('security')
  const text = codes.join('\n')
  const file = useMemo(() => `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`, [text])
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
      <Button onClick={onDone}>{t('codes.done')}</Button>
    </Stack>
  )
}
