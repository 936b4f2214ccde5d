const roles = ['owner', 'admin', 'finance', 'support', 'viewer'] as const

/** The role where it is a built-in one, which has words; others are called by their names. */
export const builtInRole = (role: string) => roles.find((one) => one === role)
