/** The names of drafts: a user's tickets, and the replies, notes and forms of staff, each with the number of its author. */
const DRAFT = /^(?:ticket-draft|console-(?:draft|reply|text)):(\d+):/

/** Removes from this browser, and from this tab, what the account has begun to write and not sent. */
export function removeDrafts(userId: number | undefined): void {
  for (const storage of [localStorage, sessionStorage])
    for (const name of Object.keys(storage))
      if (DRAFT.exec(name)?.[1] === String(userId)) storage.removeItem(name)
}
