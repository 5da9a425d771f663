import { readFileSync } from 'node:fs'
import path from 'node:path'

const page = readFileSync(path.join(__dirname, '../../../docs/fetch.md'), 'utf8')

/** The programs in a section of docs/fetch.md. */
export function startsOf(heading: string): readonly [string, ...string[]] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const [first, ...others] = [...section.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
  if (first === undefined) throw new Error(`no program under ${heading}`)
  return [first, ...others]
}
