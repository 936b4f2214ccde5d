import { Button, Textarea } from '@mantine/core'
import type { KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import filesClasses from '../files.module.css'
import classes from '../ticket.module.css'
import { pastesFiles } from '../use-file-drop'
import type { useWriting } from '../use-conversation'
import { ChosenFiles, FilePicker } from './file-picker'

export const MAX_CONTENT = 10_000

/** Ctrl or Cmd with Enter sends what is written. */
export const sendsBy = (send: () => void) => (event: KeyboardEvent) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing)
    return
  event.preventDefault()
  send()
}

/** Where the next message is written; it stays in sight at the bottom. */
export function Composer({ writing }: { writing: ReturnType<typeof useWriting> }) {
  const { t } = useTranslation('ticket')
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault()
        writing.send()
      }}
    >
      <Textarea
        aria-label={t('send.label')}
        placeholder={t('send.label')}
        description={
          <>
            {t('send.hint')}
            <span className={classes.keys}>{t('send.keys')}</span>
          </>
        }
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={MAX_CONTENT}
        value={writing.text}
        onChange={({ currentTarget }) => writing.write(currentTarget.value)}
        onKeyDown={sendsBy(writing.send)}
        onPaste={pastesFiles(writing.uploads.add)}
      />
      {writing.mayHaveArrived && (
        <p role="status" className={classes.note}>
          {t('send.edited')}
        </p>
      )}
      <ChosenFiles uploads={writing.uploads} />
      <div className={filesClasses.actions}>
        <FilePicker uploads={writing.uploads} />
        <Button type="submit" disabled={!writing.canSend}>
          {t('send.send')}
        </Button>
      </div>
    </form>
  )
}
