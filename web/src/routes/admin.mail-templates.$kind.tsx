import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { mailTemplateOf, type MailLanguage } from '@/features/console/mail/resources'

export const Route = createFileRoute('/admin/mail-templates/$kind')({
  validateSearch: (search): { lang: MailLanguage } => ({
    lang: search.lang === 'en' ? 'en' : 'zh-CN',
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, params: { kind }, deps: { lang } }) =>
    loadPage(loadTexts('console/mail'), queryClient.prefetchQuery(mailTemplateOf(kind, lang))),
  component: lazyPage(() => import('@/features/console/mail/form-pages'), 'MailTemplatePage'),
})
