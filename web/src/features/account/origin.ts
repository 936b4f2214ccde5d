import type { TFunction } from 'i18next'

type Origin = { area: string; browser: string; system: string }

const UNKNOWN = 'ZZ'

/** "Japan"; nothing where the area is not known. */
export const areaName = (area: string, language: string): string | undefined =>
  area === UNKNOWN ? undefined : new Intl.DisplayNames(language, { type: 'region' }).of(area)

/** "Firefox 140 · Windows" */
export const deviceName = ({ browser, system }: Origin, t: TFunction<'security'>): string =>
  [browser, system].filter(Boolean).join(' · ') || t('device.unknown')
