import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const docs = new URL('../../../docs/', import.meta.url)
const begin = '<!-- Measured: written by packages/bench, not by hand. -->'
const end = '<!-- End of what was measured. -->'

/** Puts the text between the two marks in a page of docs. */
export async function writeIntoDocument(page: string, text: string): Promise<void> {
  const file = fileURLToPath(new URL(page, docs))
  const old = await readFile(file, 'utf8')
  const [before, rest = ''] = old.split(begin)
  const [, after] = rest.split(end)
  if (before === undefined || after === undefined) throw new Error(`docs/${page} has lost its marks.`)
  await writeFile(file, `${before}${begin}\n\n${text}\n\n${end}${after}`)
}

export function writePicture(name: string, svg: string): Promise<void> {
  return writeFile(fileURLToPath(new URL(`images/${name}`, docs)), svg)
}
