import { inChild } from './child.ts'
import { countedRow, countedSection, type Row, type Section } from './section.ts'

const subjects = { map: 'a bare Map', counter: 'counter', gcra: 'GCRA' }

/** Each in a process of its own, so that nothing of another is counted. */
export async function heapBytes(): Promise<Section> {
  const rows: Row[] = []
  for (const [subject, name] of Object.entries(subjects)) {
    rows.push(countedRow(name, Number(await inChild('heap-child.js', [subject], ['--expose-gc']))))
  }
  const title = 'Bytes of one key in memory, its text included, for 100,000 keys'
  return countedSection({ id: 'heap-bytes', title, unit: 'bytes' }, rows)
}
