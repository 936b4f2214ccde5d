import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { staffUsersImportRules } from '@/lib/api/gen/staff/rules.gen'
import { staffUsersImport } from '@/lib/api/gen/staff/sdk.gen'
import type { ImportedUsers } from '@/lib/api/gen/staff/types.gen'
import { problemText } from '@/lib/server-problem'
import { textOf } from '../parts/file-text'

/** A chosen file with what the server found in it, or did with it. */
export type UserFile = {
  /** Another one with each file, also where one of the same name is chosen again. */
  id: number
  name: string
  csv: string
  found: ImportedUsers
  isImported: boolean
}

/** Checks the files that are chosen; nothing is added before the member says so. */
export function useUserImport() {
  const { t } = useTranslation('console/user-import')
  const { t: common } = useTranslation()
  const [file, setFile] = useState<UserFile>()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  const open = async (picked: File | undefined) => {
    if (!picked) return
    setFile(undefined)
    setProblem(undefined)
    if (picked.size > staffUsersImportRules.csv.maxLength) return setProblem(t('tooLarge'))
    setBusy(true)
    try {
      const csv = await textOf(picked)
      const { data } = await staffUsersImport({ body: { csv, dry_run: true }, throwOnError: true })
      setFile({ id: Date.now(), name: picked.name, csv, found: data, isImported: false })
    } catch (error) {
      // A file that cannot be read at all is said at the field of the contract.
      const said = error instanceof ApiError && error.fields.map(({ message }) => message).join(' ')
      setProblem(said || problemText(error, common))
    } finally {
      setBusy(false)
    }
  }
  /** Adds the users of the file that was checked. */
  const add = async (checked: UserFile) => {
    const { data } = await staffUsersImport({ body: { csv: checked.csv }, throwOnError: true })
    setFile({ ...checked, id: Date.now(), found: data, isImported: true })
  }
  return { file, problem, isBusy, open, add }
}
