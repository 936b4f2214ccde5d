/**
 * A text with letters that run from right to left (Hebrew, Arabic and what is written like them), set apart for the
 * bidirectional algorithm: without that a number after such a name is shown before it. Any other text stays as it is.
 */
export const isolate = (text: string) =>
  /[\u0590-\u08ff]/.test(text) ? `\u2068${text}\u2069` : text
