/** What the pages for whoever is not signed in need, in one chunk. */
export const open = import.meta.glob<object>('./open/*.json', { eager: true, import: 'default' })
