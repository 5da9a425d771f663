import { rmSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { isPrivate } from '../../../src/compare/client/trust.ts'
import { keysOf } from '../../../src/compare/keys.ts'
import { fileSource } from '../../../src/compare/log/bytes.ts'
import { Findings } from '../../../src/compare/log/findings.ts'
import { type Format, formats, parserOf } from '../../../src/compare/log/format.ts'
import { readLogs } from '../../../src/compare/log/read-log.ts'
import type { Request } from '../../../src/compare/request.ts'
import { requestReader } from '../../../src/compare/request-reader.ts'
import { folderWith } from '../../sluice.ts'

const line = (client: string, second: number) =>
  `${client} - - [10/Mar/2026:13:00:${String(second).padStart(2, '0')} +0000] "GET /a HTTP/1.1" 200 5\n`
const ten = Array.from({ length: 10 }, (_, i) => line(`192.0.2.${i}`, i)).join('')
const packed = gzipSync(ten)
/** With a path of 40,000 characters. */
const long = line('192.0.2.2', 2).replace('/a', `/${'a'.repeat(40_000)}`)
const docker = (...pieces: readonly string[]) =>
  pieces.map((log) => `${JSON.stringify({ log, stream: 'stdout', time: '2026-03-10T13:00:02Z' })}\n`).join('')

let folder = ''
beforeAll(() => {
  folder = folderWith({
    'plain.log': ten,
    'packed.gz': packed,
    'packed-without-the-name': packed,
    'packed-twice.gz': Buffer.concat([gzipSync(ten.slice(0, 300)), gzipSync(ten.slice(300))]),
    'cut.gz': packed.subarray(0, packed.length - 12),
    'no-gzip.gz': ten,
    'a.zst': Buffer.from('28b52ffd0458', 'hex'),
    'a.xz': Buffer.from('fd377a585a000004', 'hex'),
    'a.bz2': 'BZh91AY&SY',
    'a.zip': 'PK\u0003\u0004\u0014\u0000',
    'docker-cut.log': docker(
      line('192.0.2.1', 1),
      long.slice(0, 16_384),
      long.slice(16_384, 32_768),
      long.slice(32_768),
    ),
    'docker-without-ends.log': docker(long.trimEnd(), line('192.0.2.2', 2).trimEnd()),
    'never-ended.log': `2026-03-10T13:00:00Z stdout P ${line('192.0.2.3', 3)}`,
    'empty.log': '',
    'one-byte.log': 'x',
    'mixed.log': `nonsense\n\n${line('192.0.2.7', 7)}  \n{"time":1773147600,"ip":"192.0.2.8"}\r\n{"time":1773147600,"path":"/a"}\n`,
  })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Found {
  readonly clients: readonly string[]
  readonly findings: Findings
}

async function read(names: readonly string[], format: Format = 'auto', key = 'ip'): Promise<Found> {
  const findings = new Findings()
  const sources = await Promise.all(names.map((name) => fileSource(path.join(folder, name))))
  const keys = keysOf(key)
  const toRequest = requestReader({ ...keys, cost: undefined, path: undefined })
  const client = { field: undefined, trusts: isPrivate, named: false }
  const reading = { parser: parserOf(format, {}), client, toRequest, findings, progress: () => {} }
  const requests: Request[] = []
  for await (const batch of readLogs(sources, reading)) requests.push(...batch)
  return { clients: requests.map(({ client }) => client), findings }
}

const tenClients = Array.from({ length: 10 }, (_, i) => `192.0.2.${i}`)

describe('a log', () => {
  it.each(['plain.log', 'packed.gz', 'packed-without-the-name', 'packed-twice.gz', 'no-gzip.gz'])(
    'is read as it is packed: %s',
    async (name) => {
      expect((await read([name])).clients).toEqual(tenClients)
    },
  )

  it.each([
    ['cut.gz', /cannot read .*cut\.gz \(.*unexpected end of file\)/],
    ['absent.log', /cannot read .*absent\.log \(.*ENOENT: no such file or directory.*\)/],
    [
      'a.zst',
      /cannot read .*a\.zst \(it is compressed by another program than gzip: decompress it first by zstd -dc\)/,
    ],
    ['a.xz', /first by xz -dc\)/],
    ['a.bz2', /first by bzip2 -dc\)/],
    ['a.zip', /first by unzip -p\)/],
    ['.', /cannot read .* \(.*it is a folder\)/],
  ])('that cannot be read is reported: %s', async (name, expected) => {
    await expect(read([name])).rejects.toThrow(expected)
  })

  it.each([
    ['docker-cut.log', ['192.0.2.1', '192.0.2.2']],
    ['docker-without-ends.log', ['192.0.2.2', '192.0.2.2']],
    ['never-ended.log', ['192.0.2.3']],
  ])('is read whole where a runtime has cut lines: %s', async (name, clients) => {
    const found = await read([name])
    expect([found.clients, found.findings.facts.malformed]).toEqual([clients, 0])
  })

  it.each([
    ['empty.log', 0],
    ['one-byte.log', 1],
  ])('may be short: %s', async (name, malformed) => {
    const { clients, findings } = await read([name])
    expect([clients, findings.facts.malformed]).toEqual([[], malformed])
  })

  it('counts lines that cannot be read, and shows the first', async () => {
    const { clients, findings } = await read(['mixed.log'])
    expect(clients).toEqual(['192.0.2.8', '192.0.2.7'])
    expect(findings.facts).toMatchObject({
      lines: 4,
      malformed: 1,
      firstMalformed: {
        source: path.join(folder, 'mixed.log'),
        line: 1,
        text: 'nonsense',
        reason: 'expected a time such as 10/Oct/2000:13:55:36 -0700 or 2000-10-10T20:55:36Z',
      },
      movedOn: 0,
      withoutKey: 1,
      others: 0,
    })
  })

  it('leaves out and counts those without such a key', async () => {
    const { clients, findings } = await read(['plain.log'], 'auto', 'user')
    expect([clients, findings.facts.withoutKey, findings.facts.malformed]).toEqual([[], 10, 0])
  })

  it('is read together with others in the order of time', async () => {
    expect((await read(['plain.log', 'mixed.log'])).clients).toEqual([
      '192.0.2.0',
      '192.0.2.8',
      ...tenClients.slice(1, 8),
      '192.0.2.7',
      ...tenClients.slice(8),
    ])
  })
})

it('a long log is read in bounded memory: few lines are held back', async () => {
  let [given, got, mostHeld] = [0, 0, 0]
  async function* bytes(): AsyncGenerator<Buffer> {
    for (let i = 0; i < 300; i++) {
      given += 200
      mostHeld = Math.max(mostHeld, given - got)
      yield Buffer.from(line(`192.0.2.${i % 250}`, i % 60).repeat(200))
    }
  }
  const client = { field: undefined, trusts: isPrivate, named: false }
  const toRequest = requestReader({ ...keysOf('ip'), cost: undefined, path: undefined })
  const reading = {
    parser: parserOf('auto', {}),
    client,
    toRequest,
    findings: new Findings(),
    progress: () => {},
  }
  for await (const batch of readLogs([{ name: 'long', size: undefined, bytes }], reading)) got += batch.length
  // Those that are looked at first, and those that wait for earlier ones.
  expect([got, mostHeld <= 10_000 + 20_000 + 200]).toEqual([60_000, true])
})

describe('no line', () => {
  const toRequest = requestReader({ ...keysOf('ip'), cost: undefined, path: undefined })
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(
        ' ',
        '"',
        '\\',
        '[',
        ']',
        '{',
        '}',
        ':',
        '-',
        '/',
        '192.0.2.1',
        '10/Mar/2026:13:00:02 +0000',
      ),
      fc.constantFrom(
        ' - - [',
        '] "GET / HTTP/1.1" 200 5',
        '"time":',
        '1773147600',
        '"ip":',
        '__proto__',
        '::1',
        '%',
      ),
      fc.string({ unit: 'binary', maxLength: 10 }),
      fc.json(),
    ),
    { maxLength: 12 },
  )

  it.each(formats)('stops the reading of %s', (format) => {
    const parse = parserOf(format, {})()
    fc.assert(
      fc.property(pieces, (parts) => {
        const entry = parse(parts.join(''))
        if (typeof entry !== 'object') return entry === undefined || entry.length > 0
        expect(Number.isSafeInteger(entry.atUs) && entry.atUs > 0).toBe(true)
        const request = toRequest(entry)
        return request === undefined || typeof request === 'object'
      }),
      { numRuns: 5000 },
    )
  })

  it('is longer than what is read of it', () => {
    expect(parserOf('auto', {})()('x'.repeat(65_537))).toBe('a line of at most 65536 characters')
  })
})
