import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it } from '@jest/globals'
import { compare } from '../../../src/compare/run-compare.ts'
import { readSettings } from '../../../src/compare/settings.ts'
import { folderWith } from '../../sluice.ts'
import { comparedIn } from './compared.ts'
import { combined, writtenFormats } from './formats.ts'
import { type MinuteRequest, minute } from './minute.ts'

const folder = folderWith({})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const compared = comparedIn(folder)

function log(line: (request: MinuteRequest) => string): string {
  return `${minute.map(line).join('\n')}\n`
}

const right = { requests: 540, clients: 41, refused: 240 }
const nobody = 'of 540 requests have no address'

describe('a log is not judged', () => {
  // biome-ignore format: a table
  it.each<[string, (request: MinuteRequest) => string, string]>([
    ['of which every client is the proxy',         (r) => combined({ ...r, ip: '10.0.0.1' }),              'all 540 requests have one client, 10.0.0.1, a private address: a proxy in front. Let the server log what the proxy says'],
    ['of which every client is this machine',      (r) => combined({ ...r, ip: '::1' }),                   'all 540 requests have one client, ::1, a private address'],
    ['that knows the nodes of a balancer only',    (r) => combined({ ...r, ip: r.proxy }),                 'all 540 requests have 2 clients, 10.0.0.1, 10.0.0.2, private addresses with equal shares: a proxy in front'],
    ['of which every request has its own client',  (r) => combined({ ...r, ip: `198.18.${r.i >> 8}.${r.i & 255}` }), 'nearly each of 540 requests has a client of its own (540), so that no limit would refuse anybody'],
    ['that has names of hosts for clients',        (r) => combined({ ...r, ip: `host-${r.ip.replaceAll('.', '-')}.example` }), `540 ${nobody} of a client; name the field`],
    ['that has hashes for clients',                (r) => combined({ ...r, ip: `u${Buffer.from(r.ip).toString('hex')}` }), `540 ${nobody} of a client`],
    ['that has no clients',                        (r) => `${r.iso} GET ${r.path} 200 4.321 ms - 512`,     `540 ${nobody} of a client`],
    ['of JSON that has no clients',                (r) => JSON.stringify({ time: r.iso, method: 'GET', path: r.path, host: 'shop.example' }), `540 ${nobody} of a client`],
    ['of which few lines have one',                (r) => (r.i % 5 === 0 ? combined(r) : combined({ ...r, ip: '-' })), `432 ${nobody} of a client`],
    ['of whose requests most cannot be read',       (r) => (r.i % 3 === 0 ? combined(r) : `GET ${r.path} by ${r.ip}`), '360 lines with a request could not be read, more than the 180 that could; the first is '],
    ['of which two fields may be the client',       (r) => `${combined({ ...r, ip: `192.0.2.${r.i % 30}` })} "192.0.2.${100 + (r.i % 40)}"`, 'field 1 of the line and field +5, behind the request both hold addresses that may be the client\'s; name the field'],
    ['of JSON of which two fields may be the client', (r) => JSON.stringify({ time: r.iso, a: `192.0.2.${r.i % 30}`, b: `192.0.2.${100 + (r.i % 40)}` }), 'a and b both hold addresses'],
    ['that has the address of the server only',    (r) => JSON.stringify({ time: r.iso, method: 'GET', path: r.path, server_addr: '192.0.2.10', upstream_addr: `10.2.0.${r.i % 40}:80` }), `540 ${nobody} of a client`],
  ])('%s', async (_what, line, expected) => {
    await expect(compared(log(line))).rejects.toThrow(`cannot judge ${folder}/access.log: ${expected}`)
  })

  it('by a field that was named and holds no addresses', async () => {
    await expect(
      compared(
        log((r) => `shop.example:443 ${combined(r)}`),
        { client: '1' },
      ),
    ).rejects.toThrow(
      `540 ${nobody} in the field that --client names; --key field:NAME counts by what is no address`,
    )
    await expect(
      compared(
        log((r) => JSON.stringify({ time: r.iso, ip: r.ip })),
        { client: 'ipp' },
      ),
    ).rejects.toThrow(`540 ${nobody} in the field that --client names`)
  })
})

describe('a field that the requests lack is named, beside those that they have', () => {
  const json = log((r) => JSON.stringify({ time: r.iso, method: 'GET', path: r.path, ip: r.ip, user: 'ada' }))
  const limits = path.join(folder, 'limits.yaml')
  writeFileSync(limits, 'schema:\n  user:\n    limits: [15, 30, 60]\n')
  const has = 'has ip, user, method, path, time'

  it.each([
    ['user/{usr}', `540 of 540 requests have no "usr" (did you mean "user"?); the first of them ${has}`],
    ['user/{tenant}', `540 of 540 requests have no "tenant"; the first of them ${has}`],
  ])('%s', async (path, expected) => {
    await expect(compared(json, { policy: [], limits, path })).rejects.toThrow(
      `cannot judge ${folder}/access.log: ${expected}`,
    )
  })

  it('by which is counted', async () => {
    const { input } = await compared(json, { key: 'field:usr' })
    expect(input).toMatchObject({
      requests: 0,
      log: { withoutKey: 540, lacking: { field: 'usr', has: ['ip', 'user', 'method', 'path', 'time'] } },
    })
  })

  it.each([{ key: 'field:usr' }, { cost: 'field:usr' }])('of generated traffic: %j', async (flags) => {
    const usual = { policy: ['gcra:5/1m'], key: 'ip', format: 'auto', field: [], trust: [] }
    const traffic = compare(readSettings([], { ...usual, traffic: 'poisson:duration=5s', ...flags }))
    await expect(traffic).rejects.toThrow(
      'the requests have no "usr" (did you mean "user"?); each has ip, user, method',
    )
  })
})

describe('a log is judged', () => {
  // biome-ignore format: a table
  it.each<[string, (request: MinuteRequest) => string, Parameters<typeof compared>[1], object]>([
    ['where the proxy itself is named as the client', (r) => combined({ ...r, ip: '10.0.0.1' }), { client: '1' }, { clients: 1, refused: 480 }],
    ['where it is counted by another field',          (r) => JSON.stringify({ time: r.iso, user: r.ip.replaceAll('.', '-') }), { key: 'user' }, right],
    ['where a field of a common line is named',       (r) => `${combined({ ...r, ip: '192.0.2.1' })} "192.0.2.${r.i % 200}" "${r.ip}"`, { client: '-1' }, right],
    ['where a place before the request is named',     (r) => `192.0.2.${r.i % 200} ${combined(r)}`, { client: '2' }, right],
    ['where a place behind the request is named',     (r) => `${combined(r)} "192.0.2.${r.i % 9}" "${r.ip}"`, { client: '+6' }, right],
    ['where a field of JSON is named',                (r) => JSON.stringify({ time: r.iso, a: `192.0.2.${r.i % 200}`, b: { c: r.ip } }), { client: 'b.c' }, right],
    ['where --field names it',                        (r) => JSON.stringify({ time: r.iso, a: `192.0.2.${r.i % 200}`, b: { c: r.ip } }), { field: ['ip=b.c'] }, right],
    ['of clients in a private network',               (r) => combined({ ...r, ip: r.ip.replace(/^[\d]+\.[\d]+/, '10.7') }), {}, right],
    ['of private clients behind a private proxy',     (r) => `${combined({ ...r, ip: '10.0.0.1' })} "${r.ip.replace(/^[\d]+\.[\d]+/, '10.7')}"`, {}, right],
    ['of one client of the Internet',                 (r) => combined({ ...r, ip: '203.0.113.66' }), {}, { clients: 1, refused: 480 }],
    ['of clients that send by IPv6',                  (r) => combined({ ...r, ip: r.ip.replace(/^.*\.(\d+)$/, '2001:db8:0:$1::7') }), {}, right],
  ])('%s', async (_what, line, options, expected) => {
    const { input, results } = await compared(log(line), options)
    const found = { requests: input.requests, clients: input.clients, refused: results[0]?.refused }
    expect(found).toEqual({ requests: 540, ...expected })
  })

  it('with the checks of a balancer among its requests, which are its own', async () => {
    const { input, results } = await compared(
      log(
        (r) =>
          `${combined({ ...r, ip: r.proxy })} "${r.ip}"${r.i % 9 === 0 ? `\n${combined({ ...r, ip: r.proxy })} "-"` : ''}`,
      ),
    )
    expect([input.requests, input.clients, results[0]?.refused]).toEqual([600, 43, 240])
  })
})

describe('lines of several kinds', () => {
  const [plain, vhost] = ['combined', 'Apache, vhost_combined'].map((name) =>
    writtenFormats.find((each) => each.name === name),
  )
  const [xff, json] = ['nginx, X-Forwarded-For last', 'pino-http behind a balancer'].map((name) =>
    writtenFormats.find((each) => each.name === name),
  )

  it.each([
    ['in turn', (r: MinuteRequest) => [plain, vhost, xff, json][r.i % 4]],
    ['one after the other', (r: MinuteRequest) => [plain, vhost, xff, json][Math.floor(r.i / 135)]],
  ])('%s are read each in its own way', async (_how, formatOf) => {
    const { input, results } = await compared(log((r) => formatOf(r)?.line(r) ?? ''))
    expect([input.requests, input.clients, results[0]?.refused]).toEqual([540, 41, 240])
  })

  it('are read among those of other programs', async () => {
    const others = [
      'Error: connect ECONNREFUSED 10.0.0.7:5432',
      '    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1595:16)',
      '2026-03-10 13:00:02.123 UTC [77] LOG:  connection received: host=10.0.0.9 port=4711',
      '{"level":30,"time":1773147602000,"msg":"Server listening at http://0.0.0.0:3000"}',
      '10.0.0.3 is up',
    ]
    const { input, results } = await compared(log((r) => `${combined(r)}\n${others[r.i % 5]}`))
    expect([input.requests, input.clients, results[0]?.refused]).toEqual([540, 41, 240])
    expect(input.log).toMatchObject({ lines: 1080, malformed: 432, others: 108, withoutKey: 0 })
  })

  it('that were cut are counted, and change no client', async () => {
    const { input } = await compared(
      log((r) => (r.i % 3 === 0 ? combined(r).slice(0, 10 + (r.i % 35)) : combined(r))),
    )
    expect([input.requests, input.clients, input.log?.malformed]).toEqual([360, 41, 180])
  })

  it('of more than 65,536 characters are counted', async () => {
    const { input, results } = await compared(log((r) => `${combined(r)}\n${'x'.repeat(70_000)}`))
    expect([input.requests, input.clients, results[0]?.refused, input.log?.malformed]).toEqual([
      540, 41, 240, 540,
    ])
  })

  it.each([
    ['another program', (r: MinuteRequest) => `${r.iso} LOG: checkpoint complete: wrote ${r.i} buffers`, 540],
    [
      'errors',
      (r: MinuteRequest) =>
        `2026/03/10 13:00:00 [error] 7#7: *${r.i} open() "/a" failed, client: ${r.ip}, request: "GET ${r.path} HTTP/1.1"`,
      540,
    ],
    ['nothing', () => '', 0],
  ])('of %s are no requests', async (_what, line, malformed) => {
    const { input } = await compared(log(line))
    expect([input.requests, input.log?.malformed]).toEqual([0, malformed])
  })
})
