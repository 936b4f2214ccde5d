/** Who somebody is, in a sentence: the e-mail address, or the number of an account that was closed. */
export const personText = ({ id, email }: { id: number; email?: string }) => email || `#${id}`
