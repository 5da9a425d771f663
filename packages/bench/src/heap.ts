import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { countedRow, type Row, type Section } from './section.ts'

const run = promisify(execFile)
const child = fileURLToPath(new URL('heap-child.ts', import.meta.url))
const subjects = { map: 'a bare Map', counter: 'counter', gcra: 'GCRA' }

/** Each in a process of its own, so that nothing of another is counted. */
export async function heapBytes(): Promise<Section> {
  const rows: Row[] = []
  for (const [subject, name] of Object.entries(subjects)) {
    const args = [...process.execArgv, '--expose-gc', child, subject]
    const { stdout } = await run(process.execPath, args)
    rows.push(countedRow(name, Number(stdout)))
  }
  const title = 'Bytes of one key in memory, its text included, for 100,000 keys'
  return { id: 'heap-bytes', title, unit: 'bytes', ratiosTo: [], rows }
}
