import { useTranslation } from 'react-i18next'
import { TextLink } from '@/ui/text-link'
import { useClients } from './use-clients'

/** How to use the client that the import button names, where there is a guide to it; `separator` stands before it. */
export function GuideLink({ separator }: { separator?: string }) {
  const { t } = useTranslation('home')
  const { first } = useClients()
  if (!first?.guide_slug) return null
  return (
    <>
      {separator}
      <TextLink to="/user/guides/$slug" params={{ slug: first.guide_slug }}>
        {t('guide', { client: first.name })}
      </TextLink>
    </>
  )
}
