import { Loader, Stack, Text, TextInput } from '@mantine/core'
import { FileUp } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '@/ui/button-link'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Notice } from '@/ui/notice'
import { PageHeader } from '@/ui/page-header'
import type { Action } from '../parts/action'
import { ActionButton } from '../parts/action-runner'
import { MainAndSide, Section } from '../parts/section'
import { ImportColumns } from './import-columns'
import { PresentUsers, WrongLines } from './import-lines'
import classes from './user-import.module.css'
import { type UserFile, useUserImport } from './use-user-import'

/** Users of another panel from a file, which is checked first; then all of it is added, or nothing. */
export function UserImportPage() {
  const { t } = useTranslation('console/user-import')
  const { file, problem, isBusy, open, add } = useUserImport()
  const fileId = useId()
  return (
    <div data-wide>
      <PageHeader title={t('title')} about={t('about')} />
      <MainAndSide
        main={
          <>
            <Section title={t('file')}>
              <Stack gap="md">
                <TextInput
                  id={fileId}
                  type="file"
                  accept=".csv,.txt,text/csv,text/plain"
                  label={t('choose')}
                  description={t('chooseHint')}
                  disabled={isBusy}
                  classNames={{ input: classes.file ?? '' }}
                  onChange={({ currentTarget }) => void open(currentTarget.files?.[0])}
                />
                <div role="status">{isBusy && <Checking />}</div>
                {problem && <Notice tone="error">{problem}</Notice>}
              </Stack>
            </Section>
            {file && <Found key={file.id} file={file} onAdd={add} />}
          </>
        }
        side={<ImportColumns />}
      />
    </div>
  )
}

function Checking() {
  const { t } = useTranslation('console/user-import')
  return (
    <span className={classes.checking}>
      <Loader size="sm" aria-hidden="true" />
      {t('checking')}
    </span>
  )
}

/** What the check found in the file, or what the import did with it. */
function Found({ file, onAdd }: { file: UserFile; onAdd: (file: UserFile) => Promise<void> }) {
  const { t, i18n } = useTranslation('console/user-import')
  const { found, isImported } = file
  const number = new Intl.NumberFormat(i18n.language)
  const hasWrong = found.wrong_count > 0
  return (
    <>
      <Section title={file.name}>
        <Stack gap="md">
          <Facts>
            <Fact name={isImported ? t('found.added') : t('found.toAdd')}>
              {number.format(found.added)}
            </Fact>
            <Fact name={t('found.present')}>{number.format(found.present.length)}</Fact>
            {!isImported && <Fact name={t('found.wrong')}>{number.format(found.wrong_count)}</Fact>}
          </Facts>
          <Next file={file} onAdd={onAdd} />
        </Stack>
      </Section>
      {hasWrong && <WrongLines file={file} />}
      {!hasWrong && found.present.length > 0 && <PresentUsers file={file} />}
    </>
  )
}

/** What can be done with the file now. */
function Next({ file, onAdd }: { file: UserFile; onAdd: (file: UserFile) => Promise<void> }) {
  const { t } = useTranslation('console/user-import')
  const action = useImportAction(onAdd)
  const { found } = file
  if (file.isImported)
    return (
      <>
        <Text role="status">{t('done', { count: found.added })}</Text>
        <div>
          <ButtonLink to="/admin/users" variant="default" size="sm">
            {t('toUsers')}
          </ButtonLink>
        </div>
      </>
    )
  if (found.wrong_count > 0)
    return (
      <Notice tone="error">
        {t('repair')}
        {found.wrong_count > found.wrong.length && ` ${t('first', { count: found.wrong.length })}`}
      </Notice>
    )
  if (found.added === 0) return <Notice tone="warning">{t('nobody')}</Notice>
  return (
    <div>
      <ActionButton subject={file} action={action} isPrimary />
    </div>
  )
}

function useImportAction(onAdd: (file: UserFile) => Promise<void>): Action<UserFile> {
  const { t } = useTranslation('console/user-import')
  return {
    key: 'import',
    icon: FileUp,
    title: t('submit'),
    permission: 'user.import',
    danger: 'C',
    effect: ({ found }) => t('effect', { count: found.added, present: found.present.length }),
    run: onAdd,
    done: () => t('toast'),
  }
}
