/** The values of client_type that one looks at most. */
export const linkClients = [
  'ClashMeta',
  'SingBox',
  'Mixed',
  'Shadowrocket',
  'Surge5',
  'Loon',
  'QuantumultX',
  'Stash',
  'Surfboard',
  'Egern',
  'XrayJson',
  'Clash',
  'V2Ray',
  'SIP008',
]
