import type { PolicyData } from '../policy-text.ts'

/** `gcra({ count: 30, period: '1m' })` */
export function codeOf({ strategy, ...options }: PolicyData): string {
  const written = Object.entries(options).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? `'${value}'` : value}`,
  )
  return `${strategy}({ ${written.join(', ')} })`
}

/** `{ strategy: gcra, count: 30, period: 1m }` */
export function yamlOf(data: PolicyData): string {
  return `{ ${Object.entries(data)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')} }`
}
