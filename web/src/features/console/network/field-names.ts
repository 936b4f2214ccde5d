const fields: Record<string, string> = {
  quota_bytes: 'quota_gib',
  'settings.tls.certificate': 'certificate',
  'settings.reality.dest': 'reality_dest',
  'settings.reality.server_names': 'reality_names',
}

/** The form's name of a field that the server names. */
export function fieldOf(name: string): string {
  const known = fields[name]
  if (known) return known
  if (/^(relays|group_hosts|hour_rates|tags)\b/.test(name)) return name.split('.')[0] ?? name
  return name
    .replace(/^settings\./, '')
    .replace(/^tls\.acme\./, 'acme_')
    .replace(/^(tls|reality)\./, '')
}
