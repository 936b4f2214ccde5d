import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { AnnouncementItem } from '@/lib/api/gen/types.gen'
import { siteOptions } from '@/lib/api/site'
import { MaintenanceStrip } from './maintenance-strip'

export type Note = { id: number; title: string; text: string }

/** What everybody is told about maintenance, above every page while it is in force. */
export function SiteMaintenance() {
  return <MaintenanceStrip notes={useSiteNotes()} />
}

/** The same for a user, with what only some are told; until that is known, what everybody is told. */
export function UserMaintenance({ list }: { list: AnnouncementItem[] | undefined }) {
  const ofSite = useSiteNotes()
  const own = list?.map(({ id, title, markdown_text: text }) => ({ id, title, text }))
  return <MaintenanceStrip notes={own ?? ofSite} />
}

function useSiteNotes(): Note[] {
  const { i18n } = useTranslation()
  const { data: site } = useQuery(siteOptions())
  const isEnglish = i18n.language === 'en'
  return (site?.maintenance ?? []).map((note) => ({
    id: note.id,
    title: isEnglish ? note.title_en : note.title_zh,
    text: isEnglish ? note.body_en : note.body_zh,
  }))
}
