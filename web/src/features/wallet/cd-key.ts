const GROUPS = /[0-9A-Z]{5}(?:-?[0-9A-Z]{5}){3}/

/** Formats input as keys are printed, XXXXX-XXXXX-XXXXX-XXXXX. From a sentence it extracts the key. */
export function grouped(typed: string): string {
  const text = typed
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[\p{Pd}_−]/gu, '-')
  const found =
    GROUPS.exec(text.replaceAll(/\s*-\s*/g, '-')) ?? GROUPS.exec(text.replaceAll(/\s/g, ''))
  const key = (found?.[0] ?? text).replaceAll(/[\s-]/g, '')
  return key.match(/.{1,5}/gu)?.join('-') ?? ''
}

/** The number of characters of a typed key, without separators. */
export const lengthOf = (typed: string) => grouped(typed).replaceAll('-', '').length

export const KEY_LENGTH = 20
