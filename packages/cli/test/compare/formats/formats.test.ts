import { rmSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, it } from '@jest/globals'
import type { Comparison } from '../../../src/compare/comparison.ts'
import { folderWith } from '../../sluice.ts'
import { comparedIn } from './compared.ts'
import { written, writtenFormats } from './formats.ts'
import { minute } from './minute.ts'

const folder = folderWith({})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const compared = comparedIn(folder)

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

it('a packed log is read like any other', async () => {
  const [format] = writtenFormats
  if (format === undefined) throw new Error('no format')
  expect(found(await compared(gzipSync(written(format, minute))))).toEqual(right)
})

it('a log in UTF-16 is read like any other', async () => {
  const [format] = writtenFormats
  if (format === undefined) throw new Error('no format')
  expect(found(await compared(Buffer.from(`\uFEFF${written(format, minute)}`, 'utf16le')))).toEqual(right)
})

it('a flood of one network, of whom nobody is refused, is named by its network', async () => {
  const spread = minute.map((each, i) =>
    each.ip === '203.0.113.66' ? { ...each, ip: `203.0.113.${1 + (i % 200)}` } : each,
  )
  const [format] = writtenFormats
  if (format === undefined) throw new Error('no format')
  const { input, results } = await compared(written(format, spread))
  expect(results[0]?.refused).toBe(0)
  expect(input.networks[0]).toMatchObject({ network: '203.0.113.0/24', requests: 300 })
  const tighter = await compared(written(format, spread), { policy: ['fixedWindow:1/1m'] })
  const [first] = tighter.results[0]?.refusedNetworks ?? []
  expect(first?.network).toBe('198.51.100.0/24')
})
