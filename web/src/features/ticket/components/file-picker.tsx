import { ActionIcon, Button } from '@mantine/core'
import { Paperclip, RotateCw, X } from 'lucide-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '@/lib/bytes'
import classes from '../files.module.css'
import { ACCEPTED, MAX_FILES, type Pending, type Uploads } from '../use-uploads'

/** Opens the browser's dialog for files. */
export function FilePicker({ uploads }: { uploads: Uploads }) {
  const { t } = useTranslation('ticket')
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button
        variant="default"
        leftSection={<Paperclip size={16} />}
        disabled={uploads.files.length + uploads.pending.length >= MAX_FILES}
        onClick={() => input.current?.click()}
      >
        {t('files.add')}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={ACCEPTED}
        aria-label={t('files.add')}
        onChange={({ currentTarget }) => {
          uploads.add(currentTarget.files ?? [])
          currentTarget.value = '' // so that the same file can be chosen again
        }}
      />
    </>
  )
}

/** The files of a message that is being written: what has arrived, what is on its way, and what was lost. */
export function ChosenFiles({ uploads }: { uploads: Uploads }) {
  const { t, i18n } = useTranslation('ticket')
  if (uploads.files.length + uploads.pending.length === 0) return null
  return (
    <ul aria-label={t('files.chosen')} className={classes.chosen}>
      {uploads.files.map(({ id, name, size }) => (
        <li key={id} className={classes.file}>
          <span className={classes.name}>{name}</span>
          <span className={classes.size}>{formatBytes(size, i18n.language)}</span>
          <Remove name={name} onClick={() => uploads.remove(id)} />
        </li>
      ))}
      {uploads.pending.map((one) => (
        <OnItsWay key={one.id} one={one} uploads={uploads} />
      ))}
    </ul>
  )
}

function OnItsWay({ one, uploads }: { one: Pending; uploads: Uploads }) {
  const { t } = useTranslation('ticket')
  const { name } = one.file
  return (
    <li className={classes.file} data-failed={one.problem !== undefined}>
      <span className={classes.name}>{name}</span>
      {one.problem === undefined ? (
        <progress
          className={classes.progress}
          aria-label={t('files.uploading', { name })}
          value={one.share}
        />
      ) : (
        <>
          <span role="alert" className={classes.problem}>
            {one.problem}
          </span>
          <ActionIcon
            variant="subtle"
            aria-label={t('files.again', { name })}
            onClick={() => uploads.retry(one)}
          >
            <RotateCw size={16} />
          </ActionIcon>
        </>
      )}
      <Remove name={name} onClick={() => uploads.remove(one.id)} />
    </li>
  )
}

function Remove({ name, onClick }: { name: string; onClick: () => void }) {
  const { t } = useTranslation('ticket')
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={t('files.remove', { name })}
      onClick={onClick}
    >
      <X size={16} />
    </ActionIcon>
  )
}
