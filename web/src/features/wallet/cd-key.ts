const GROUPS = /[0-9A-Z]{5}(?:-?[0-9A-Z]{5}){3}/

/** What somebody typed or pasted as keys are printed, XXXXX-XXXXX-XXXXX-XXXXX; of a sentence with a key in it, the key. */
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

/** How many characters a typed key has, whatever stands between them. */
export const lengthOf = (typed: string) => grouped(typed).replaceAll('-', '').length

export const KEY_LENGTH = 20
