import type { Site } from './site.ts'

/**
 * What a site of a framework sets, as its own warning advises: runs the code that stands behind "in NAME", with the addresses that
 * the proxies of the suite have. undefined where no advice is tried.
 */
export function advised<T>(
  trust: Site['trust'],
  framework: string,
  names: Readonly<Record<string, unknown>> = {},
): T | undefined {
  if (typeof trust === 'string') return undefined
  const part = trust.advice.split('; ').find((each) => new RegExp(`\\bin .*${framework}\\b`).test(each))
  const code = /(?:app\..*|\{.*\})$/.exec(part ?? '')?.[0].replaceAll('10.0.0.0/8', '127.0.0.0/8')
  if (code === undefined) throw new Error(`no advice for ${framework} in: ${trust.advice}`)
  return new Function(...Object.keys(names), `return (${code})`)(...Object.values(names)) as T // whatever it says
}
