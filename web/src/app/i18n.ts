import i18next, { type BackendModule, type ResourceKey } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { isolate } from '@/lib/isolate'

export const languages = { 'zh-CN': '简体中文', en: 'English' } as const
export type Language = keyof typeof languages
type Namespace = keyof import('i18next').CustomTypeOptions['resources']

// What visitors read is one file for each language; each area of the signed-in pages is another.
const open = import.meta.glob<Record<string, ResourceKey>>('../locales/*/open.ts', {
  import: 'open',
})
const areas = import.meta.glob<ResourceKey>('../locales/*/*.json', { import: 'default' })

/** Adds texts that only a part of the app knows of, by their paths from this folder. */
export const addTexts = (files: typeof areas) => Object.assign(areas, files)

async function textsOf(language: string, namespace: string): Promise<ResourceKey> {
  const folder = `../locales/${language}`
  const texts =
    (await areas[`${folder}/${namespace}.json`]?.()) ??
    (await open[`${folder}/open.ts`]?.())?.[`./open/${namespace}.json`]
  if (!texts) throw new Error(`No texts for ${language}/${namespace}`)
  return texts
}

const localeFiles: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read(language, namespace, done) {
    textsOf(language, namespace).then(
      (texts) => done(null, texts),
      (error: Error) => done(error, null),
    )
  },
}

/** Starts in the language that index.html found (?lang, the last choice, the browser's). */
export async function startI18n(): Promise<void> {
  await i18next
    .use(localeFiles)
    .use(initReactI18next)
    .init({
      lng: document.documentElement.lang,
      supportedLngs: Object.keys(languages),
      fallbackLng: false,
      load: 'currentOnly',
      ns: ['common'],
      defaultNS: 'common',
      // React escapes for HTML; names that operators and users chose must not move what stands next to them.
      interpolation: { escape: isolate },
      react: { useSuspense: true },
    })
  // Fires for what other tabs change.
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === 'language' && newValue && newValue in languages) void show(newValue as Language)
  })
}

async function show(language: Language): Promise<void> {
  await i18next.changeLanguage(language)
  document.documentElement.lang = language
}

/** For route loaders: a page's texts arrive together with its data. */
export const loadTexts = (...namespaces: Namespace[]) => i18next.loadNamespaces(namespaces)

/** Switches without a reload, in all tabs of this browser, which remembers the choice. */
export async function switchLanguage(language: Language): Promise<void> {
  await show(language)
  localStorage.setItem('language', language)
}
