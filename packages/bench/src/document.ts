import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const docs = new URL('../../../docs/', import.meta.url)
const end = '<!-- End of what was measured. -->'

/** Puts the text between two marks in a page of docs, the first of which has the name of what was measured. */
export async function writeIntoDocument(page: string, text: string, name = 'Measured'): Promise<void> {
  const file = fileURLToPath(new URL(page, docs))
  const old = await readFile(file, 'utf8')
  const begin = `<!-- ${name}: written by packages/bench, not by hand. -->`
  const from = old.indexOf(begin)
  const to = old.indexOf(end, from)
  if (from < 0 || to < 0) throw new Error(`docs/${page} has lost its marks: ${name}.`)
  await writeFile(file, `${old.slice(0, from)}${begin}\n\n${text}\n\n${old.slice(to)}`)
}

export function writePicture(name: string, svg: string): Promise<void> {
  return writeFile(fileURLToPath(new URL(`images/${name}`, docs)), svg)
}
