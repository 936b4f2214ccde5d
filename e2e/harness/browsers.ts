/** The engine without the parts of a browser with windows, which take more than half of the time. */
export const headlessShell = process.env.AIRSTRIP_E2E_CHROMIUM ?? '/usr/bin/chromium-headless-shell'

/** The whole browser, for what the headless shell has not: it refuses notifications. */
export const wholeBrowser = process.env.AIRSTRIP_E2E_CHROMIUM ?? '/usr/bin/chromium'
