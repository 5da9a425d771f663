import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, it } from '@jest/globals'
import type { Comparison } from '../../../src/compare/comparison.ts'
import { compare } from '../../../src/compare/run-compare.ts'
import { type Flags, readSettings } from '../../../src/compare/settings.ts'
import { folderWith } from '../../sluice.ts'
import { written, writtenFormats } from './formats.ts'
import { minute } from './minute.ts'

const folder = folderWith({})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function compared(content: string | Buffer, options: Partial<Flags> = {}): Promise<Comparison> {
  const file = path.join(folder, 'access.log')
  writeFileSync(file, content)
  const flags = { policy: ['slidingWindowLog:60/1m'], key: 'ip', format: 'auto', field: [], trust: [] }
  return compare(readSettings([file], { ...flags, ...options }))
}

function found({ input, results: [result] }: Comparison): object {
  const refused = result?.refusedClients.map((each) => each.client)
  return { requests: input.requests, clients: input.clients, refused: result?.refused, who: refused }
}

const right = { requests: 540, clients: 41, refused: 240, who: ['203.0.113.66'] }

it.each(writtenFormats.map((format) => [format.name, format] as const))(
  'the clients of the same minute are found as it is written by %s',
  async (_name, format) => {
    expect(found(await compared(written(format, minute), format.options))).toEqual(right)
  },
)
