/** The key that is held for commands, as this system names it. */
export const modifier = /mac/i.test(navigator.userAgent) ? '⌘' : 'Ctrl'
