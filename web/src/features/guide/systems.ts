import { platforms } from '@/ui/connect/import-client'

/** The systems that guides are about. */
export const systems = platforms

const names: Record<string, string> = {
  windows: 'Windows',
  macos: 'macOS',
  ios: 'iOS',
  android: 'Android',
  linux: 'Linux',
  harmonyos: 'HarmonyOS',
}

/** What a system calls itself, in every language. */
export const systemName = (system: string) => names[system] ?? system
