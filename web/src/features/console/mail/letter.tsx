import { Code, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './mail.module.css'
import { MailFrame } from './mail-frame'

/** A written mail: its subject, and its text in one of the two forms that it is sent in. */
export function Letter(props: { subject: string; text: string; html: string }) {
  const { t } = useTranslation('console/mail')
  const [form, setForm] = useState('html')
  return (
    <Stack gap="sm">
      <SegmentedControl
        size="sm"
        aria-label={t('mails.view')}
        value={form}
        onChange={setForm}
        data={[
          { value: 'html', label: t('mails.html') },
          { value: 'plain', label: t('mails.plain') },
        ]}
      />
      <Text fw={600}>{props.subject}</Text>
      {form === 'html' ? (
        <MailFrame html={props.html} title={t('mails.html')} />
      ) : (
        <Code block tabIndex={0} aria-label={t('mails.plain')} className={classes.text}>
          {props.text}
        </Code>
      )}
    </Stack>
  )
}
