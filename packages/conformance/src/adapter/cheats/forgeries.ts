/** Fields in which some proxy or other names the client. */
export const addressFields = [
  'X-Forwarded-For',
  'X-Real-IP',
  'Forwarded',
  'CF-Connecting-IP',
  'True-Client-IP',
  'X-Client-IP',
  'X-Cluster-Client-IP',
  'Fastly-Client-IP',
  'X-Original-Forwarded-For',
] as const

/** Bytes of UTF-8 as they stand in a field, where each is a character. */
function onTheWire(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** What clients invent there: addresses, what looks like one, and what may break who reads it. */
export const forgedValues: readonly string[] = [
  '192.0.2.7',
  '1.2.3.4:567',
  '[::1]:80',
  '::ffff:192.0.2.8',
  '2001:db8::7',
  '127.0.0.2',
  '0x7f.0.0.1',
  '2130706433',
  'for=192.0.2.43;proto=https;by=203.0.113.60',
  'for="[2001:db8:cafe::17]:4711"',
  '192.0.2.9, 192.0.2.10',
  '192.0.2.11,',
  ',192.0.2.12',
  ',',
  ' , , ',
  'unknown',
  '_hidden',
  'undefined',
  '__proto__',
  '"',
  '{}',
  '%0d%0aX-Forwarded-For: 192.0.2.13',
  onTheWire('１９２.0.2.14'),
  onTheWire('تذكرة'),
  '\u0080\u00ff',
  'x'.repeat(8192),
  '192.0.2.15, '.repeat(600),
]
