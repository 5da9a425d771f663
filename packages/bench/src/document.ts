import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const file = fileURLToPath(new URL('../../../docs/performance.md', import.meta.url))
const begin = '<!-- Measured: written by packages/bench, not by hand. -->'
const end = '<!-- End of what was measured. -->'

/** Puts the text between the two marks in docs/performance.md. */
export async function writeIntoDocument(text: string): Promise<void> {
  const old = await readFile(file, 'utf8')
  const [before, rest = ''] = old.split(begin)
  const [, after] = rest.split(end)
  if (before === undefined || after === undefined) throw new Error('docs/performance.md has lost its marks.')
  await writeFile(file, `${before}${begin}\n\n${text}\n\n${end}${after}`)
}
