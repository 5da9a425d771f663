import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createLimiter, fixedWindow } from '@sluice/core'
import { memorySink, recorder } from '@sluice/telemetry'
import { hostFault } from '../src/hosts.ts'
import { dashboard } from '../src/index.ts'
import { act, ask } from './ask.ts'
import { listen } from './site.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function start(hosts?: readonly string[]) {
  const seen = recorder(memorySink())
  const limiter = createLimiter({
    name: 'login',
    policy: fixedWindow({ limit: 2, window: '1m' }),
    observers: [seen],
  })
  const page = dashboard({ recorder: seen, limiters: [limiter], mayManage: () => true, hosts })
  const site = await listen(page)
  ends.push(
    () => limiter.close(),
    () => seen.close(),
    () => site.close(),
    () => page.close(),
  )
  return { limiter, origin: site.origin }
}

describe('a page whose name was led to this machine', () => {
  const paths = ['/', '/dashboard', '/tokens.css', '/stream', '/nothing']

  test.each(paths)('reads nothing at %s, and the refusal names the option', async (path) => {
    const { origin } = await start()
    const { status, headers, body } = await ask(origin, path, { headers: { Host: 'evil.example:3000' } })
    expect([status, headers['content-type']]).toEqual([403, 'application/problem+json; charset=utf-8'])
    expect(JSON.parse(body).detail).toBe(
      'This dashboard does not know the host name "evil.example": if it is yours, add it to the option "hosts".',
    )
  })

  test('does nothing, although its browser says that the page itself asks', async () => {
    const { limiter, origin } = await start()
    await limiter.check('bob')
    const rebound = { Host: 'evil.example', Origin: 'http://evil.example' }
    for (const name of ['inspect', 'block', 'unblock', 'reset']) {
      expect((await act(origin, `/${name}`, { id: 'x', seconds: 60 }, rebound)).status).toBe(403)
    }
  })

  // The bytes of a field may be anything.
  test.each(['a b', '\u009b31m', '"', 'x'.repeat(300)])(
    'is not repeated where it is no name: %p',
    async (host) => {
      const { origin } = await start()
      const { status, body } = await ask(origin, '/', { headers: { Host: host } })
      expect([status, JSON.parse(body).detail]).toEqual([
        403,
        'This dashboard does not know this host name: if it is yours, add it to the option "hosts".',
      ])
    },
  )
})

describe('a dashboard serves', () => {
  test.each(['localhost', 'LOCALHOST:80', '127.0.0.1:3000', '127.1.2.3', '[::1]', '[::1]:3000'])(
    'whoever asks for %s',
    async (host) => {
      const { origin } = await start()
      expect((await ask(origin, '/', { headers: { Host: host } })).status).toBe(200)
    },
  )

  // biome-ignore format: a table
  test.each([
    // host                     status
    ['status.zoo.example',      200],
    ['Status.Zoo.Example:8443', 200],
    ['[2001:db8::1]:80',        200],
    ['localhost:3000',          200],
    ['zoo.example',             403],
    ['evil.example',            403],
    ['status.zoo.example.evil.example', 403],
  ])('those hosts that it was given, and loopback names: %s', async (host, status) => {
    const { origin } = await start(['Status.zoo.example', '[2001:DB8::1]'])
    for (const path of ['/', '/stream']) {
      expect((await ask(origin, path, { headers: { Host: host } })).status).toBe(status)
    }
  })

  // biome-ignore format: a table
  test.each([
    // came in at       host                    hosts             served
    ['127.0.0.1',       'zoo.example',          undefined,        false],
    ['::1',             'zoo.example',          undefined,        false],
    ['::ffff:127.0.0.1', 'zoo.example',         undefined,        false],
    ['127.0.0.1',       undefined,              undefined,        false],
    ['192.0.2.1',       'zoo.example',          undefined,        true],
    ['192.0.2.1',       undefined,              undefined,        true],
    ['192.0.2.1',       'zoo.example',          ['zoo.example'],  true],
    ['192.0.2.1',       'evil.example',         ['zoo.example'],  false],
    // A unix socket, which no browser reaches by itself.
    [undefined,         'zoo.example',          undefined,        true],
    [undefined,         'evil.example',         ['zoo.example'],  false],
  ])('what comes in at %s for %s, with hosts %j: %p', (localAddress, host, hosts, served) => {
    const headers: IncomingHttpHeaders = host === undefined ? {} : { host }
    const request = { headers, socket: { localAddress } } as IncomingMessage // no more of it is read
    expect(hostFault(request, hosts && new Set(hosts)) === undefined).toBe(served)
  })
})

// biome-ignore format: a table
test.each([
  // hosts                       path
  ['zoo.example',                'hosts'],
  [['zoo.example', 7],           'hosts[1]'],
  [['https://zoo.example'],      'hosts[0]'],
  [['zoo.example:80'],           'hosts[0]'],
  [['zoo.example/dashboard'],    'hosts[0]'],
  [['*.zoo.example'],            'hosts[0]'],
  [[''],                         'hosts[0]'],
])('refuses hosts %j', (hosts, path) => {
  const make = () => dashboard({ recorder: recorder(memorySink()), hosts: hosts as string[] })
  expect(make).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }))
})
