/**
 * What is done after each test. Files that share their modules evaluate each only once, so a module's own `afterEach` would be that
 * of the first file alone; setup.ts runs for each file.
 */
export const afterTest = new Set<() => Promise<void>>()
