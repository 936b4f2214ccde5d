import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { mailTemplateOf, type MailLanguage } from '@/features/console/mail/resources'

export const Route = createFileRoute('/admin/mail-templates/$kind')({
  // The language of the text. `lang` is that of the whole site, in any address.
  validateSearch: (search): { text: MailLanguage } => ({
    text: search.text === 'en' ? 'en' : 'zh-CN',
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, params: { kind }, deps: { text } }) =>
    loadPage(loadTexts('console/mail'), queryClient.prefetchQuery(mailTemplateOf(kind, text))),
  component: lazyPage(() => import('@/features/console/mail/form-pages'), 'MailTemplatePage'),
})
