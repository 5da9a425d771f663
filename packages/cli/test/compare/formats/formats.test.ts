import { rmSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, it } from '@jest/globals'
import type { Comparison } from '../../../src/compare/comparison.ts'
import { folderWith } from '../../sluice.ts'
import { comparedIn } from './compared.ts'
import { combined, fronts, type WrittenFormat, written, writtenFormats } from './formats.ts'
import { type MinuteRequest, minute } from './minute.ts'

const folder = folderWith({})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const compared = comparedIn(folder)

function found({ input, results: [result] }: Comparison): object {
  const refused = result?.refusedClients.map((each) => each.client)
  return { requests: input.requests, clients: input.clients, refused: result?.refused, who: refused }
}

const compose: WrittenFormat = { name: 'Docker Compose', line: (r) => `nginx-1  | ${combined(r)}` }
const right = { requests: 540, clients: 41, refused: 240, who: ['203.0.113.66'] }

/** A third of the minute: of two requests of each person, and of 90 of the one, of which 30 are refused. */
const third = minute.filter(({ path }) => {
  const [, kind, nth] = path.split('/')
  return Number(nth) < (kind === 'page' ? 2 : 90)
})
const rightOfThird = { ...right, requests: 170, refused: 30 }

it.each(writtenFormats.map((format) => [format.name, format] as const))(
  'the clients of the same requests are found as they are written by %s',
  async (_name, format) => {
    expect(found(await compared(written(format, third), format.options))).toEqual(rightOfThird)
  },
)

const sixth = (ip: string) => ip.replace(/^(\d+)\.\d+\.(\d+)\.(\d+)$/, '2001:db8:$1:$3::$2')
const ofIpv6 = third.map((each) => ({ ...each, ip: sixth(each.ip) }))

// What is put before the address where a listener takes both kinds is of IPv4 alone.
it.each(
  writtenFormats
    .filter((format) => !written(format, minute).includes('::ffff:'))
    .map((format) => [format.name, format] as const),
)('clients of IPv6 are found as well: %s', async (_name, format) => {
  const { input, results } = await compared(written(format, ofIpv6), format.options)
  expect([input.requests, input.clients, results[0]?.refused]).toEqual([170, 41, 30])
  expect(results[0]?.refusedClients).toMatchObject([{ client: '2001:db8:203:66::/64' }])
})

it.each(['::ffff:203.0.113.66:4711', '2001:db8:1:2:3:4:5:6:4711', '[2001:db8::1]:4711', '203.0.113.66:4711'])(
  'a port behind an address is cut, however it stands there: %s',
  async (ip) => {
    const { results } = await compared(
      written(
        compose,
        minute.map((each) => ({ ...each, ip })),
      ),
    )
    expect(results[0]).toMatchObject({ clientsRefused: 1, refused: 480 })
    expect(results[0]?.refusedClients[0]?.client).not.toContain('4711')
  },
)

// Places are counted behind what was put before the line, as the same line has them in a file of the server.
it.each(
  fronts
    .filter(({ line }) => minute.slice(0, 1).every((each) => line(each).endsWith(combined(each))))
    .filter(({ name }) => !['stern', 'CloudWatch, tail'].includes(name))
    .map((format) => [format.name, format] as const),
)('the first field is that of the line itself: %s', async (_name, format) => {
  expect(found(await compared(written(format, third), { client: '1' }))).toEqual(rightOfThird)
})

it('the address of the server itself is no proxy, and no client', async () => {
  const own = { name: 'own', line: (r: MinuteRequest) => `192.0.2.10 ${combined(r)}` }
  const { input } = await compared(written(own, minute))
  expect(input.log?.clients).toMatchObject([{ peer: '2', chain: null, proxies: 0, confidence: 'sure' }])
})

it('a packed log is read like any other', async () => {
  expect(found(await compared(gzipSync(written(compose, minute))))).toEqual(right)
})

it('a log in UTF-16 is read like any other', async () => {
  expect(found(await compared(Buffer.from(`\uFEFF${written(compose, minute)}`, 'utf16le')))).toEqual(right)
})

it('a flood of one network, of whom nobody is refused, is named by its network', async () => {
  const spread = minute.map((each, i) =>
    each.ip === '203.0.113.66' ? { ...each, ip: `203.0.113.${1 + (i % 200)}` } : each,
  )
  const { input, results } = await compared(written(compose, spread))
  expect(results[0]?.refused).toBe(0)
  expect(input.networks[0]).toMatchObject({ network: '203.0.113.0/24', requests: 300 })
  const tighter = await compared(written(compose, spread), { policy: ['fixedWindow:1/1m'] })
  const [first] = tighter.results[0]?.refusedNetworks ?? []
  expect(first?.network).toBe('198.51.100.0/24')
})
