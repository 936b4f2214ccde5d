/** How many digits a code has, from a mail as from an authenticator app. */
export const CODE_LENGTH = 6

/** The digits of a code, whatever is between them where it was copied. */
export const digitsOf = (text: string) =>
  text.normalize('NFKC').replaceAll(/\D/g, '').slice(0, CODE_LENGTH)
