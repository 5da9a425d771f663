import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { exactRow, type Row, type Section } from './section.ts'

const child = fileURLToPath(new URL('heap-child.ts', import.meta.url))

/** Each in a process of its own, so that nothing of another is counted. */
export async function heapBytes(): Promise<Section> {
  const rows: Row[] = []
  for (const [name, subject] of [
    ['a bare Map', 'map'],
    ['counter', 'counter'],
    ['GCRA', 'gcra'],
  ] as const) {
    const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, '--expose-gc', child, subject])
    rows.push(exactRow(name, Number(stdout)))
  }
  return { id: 'heap-bytes', title: 'Bytes of one key in memory, 100,000 keys', unit: 'bytes', ratiosTo: [], rows }
}
