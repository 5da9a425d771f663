import { expect, jest } from '@jest/globals'
import { memoryStore } from '@sluice/core'
import { guardUpgrade } from '@sluice/http'
import type { Client } from '../client.ts'
import { exchange, type Head, headsOf, type RawRequest, rawRequest, upgradeRequest } from '../raw.ts'
import { parsed } from '../replies.ts'
import type { Scenario } from '../scenario.ts'
import { type PolicyOptions, twoIn10s, type World } from '../world.ts'
import { addressFields } from './forgeries.ts'
import { hostileTexts } from './texts.ts'

/** Names that no field could carry as they are, and names that objects have already. */
const names = [
  'line\r\nX-Zqx: 1',
  '\u0000\u001b[31m\u2028',
  '"quoted\\',
  'Füttern 虎 \u{1f405}',
  'half \ud83d',
  '{a}:b%3a',
  'constructor',
  'toString',
  ' ',
  'x'.repeat(100),
]

/** Everything that this process writes or prints until the scenario is over. */
function listen(world: World): readonly string[] {
  const said: string[] = []
  const keep = (...values: unknown[]) => {
    said.push(values.map(String).join(' '))
    return true
  }
  const spies = [
    ...(['log', 'info', 'warn', 'error', 'debug', 'trace'] as const).map((name) => jest.spyOn(console, name)),
    jest.spyOn(process.stdout, 'write'),
    jest.spyOn(process.stderr, 'write'),
  ]
  for (const spy of spies) spy.mockImplementation(keep as never)
  world.later(() => {
    for (const spy of spies) spy.mockRestore()
  })
  return said
}

/** What breaks a line of a log, moves a cursor or turns the text around. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

/** What UTF-8 can say of a text: halves of pairs are replaced. */
function sayable(text: string): string {
  return Buffer.from(text).toString()
}

/** Requests of one client that carry a text wherever a client can put one. */
function requestsOf(by: string, text: string): readonly RawRequest[] {
  const encoded = encodeURIComponent(sayable(text)).slice(0, 4000)
  // A segment of a path may be no longer in Fastify.
  const short = encoded.slice(0, 90)
  const named = [...addressFields, 'User-Agent', 'Referer', 'Cookie', 'Origin', 'Traceparent']
  return [
    { by, target: `/zoo/${short}` },
    { by, target: `/zoo/x?${encoded}`, fields: [`Zqx-${by}: ${encoded}`] },
    { by, target: '/zoo/x', fields: named.map((name) => `${name}: ${short}`) },
    { by, target: '/zoo/x', method: 'PURGE', fields: [`Accept: zqx/${encoded}`] },
  ]
}

/** Status and fields of each answer, without the date. */
async function undatedHeads(client: Client, requests: readonly RawRequest[]): Promise<readonly Head[]> {
  const text = requests.map((request) => rawRequest({ ...request, connection: 'keep-alive' }))
  const received = await exchange(client, text.join('') + rawRequest({ target: '/zoo/x' }))
  expect(received).not.toMatch(/zqx/i)
  return headsOf(received)
    .slice(0, requests.length)
    .map(({ status, fields: { date: _date, ...fields } }) => ({ status, fields }))
}

const keyed: PolicyOptions['key'] = (_, view) => {
  const [, index] = (view.header('x-key') ?? '').split('-')
  return index === undefined ? view.header('x-key') : hostileTexts[Number(index)]
}

/** What a client writes stands nowhere in what is sent or said. */
export const silence: readonly Scenario[] = [
  {
    title: "no byte of a client's text reaches a field, a refusal or a log",
    async run(world) {
      const said = listen(world)
      const site = { routes: [{ path: '/zoo/:animal' }] }
      const options = world.tickets({ key: keyed, headers: { draft: true }, settle: () => Number.NaN })
      // Room for all but the last, beside the one that closes each connection.
      const store = memoryStore({ clock: world.clock, maxKeys: hostileTexts.length })
      const quietly = await world.open({ ...site, limits: [options] })
      const client = await world.open({ ...site, limits: [{ ...options, store, logger: console }] })
      const plain = await undatedHeads(quietly, requestsOf('bob', 'bob'))
      expect(plain.map(({ status }) => status)).toEqual([200, 200, 429, 429])
      for (const [i, text] of hostileTexts.entries()) {
        const heads = await undatedHeads(client, requestsOf(`key-${i}`, text))
        expect([text, heads]).toEqual([text, plain])
      }
      expect(world.takeWarnings()).toEqual(
        expect.arrayContaining(['SLUICE_SETTLE_FAILED', 'SLUICE_PROXY_UNTRUSTED', 'SLUICE_MEMORY_FULL']),
      )
      expect(said).toHaveLength(3)
      expect(said.join()).not.toMatch(/zqx/i)
    },
  },
  {
    title: "no byte of a client's text reaches what an upgrade is answered",
    async run(world) {
      const said = listen(world)
      const client = await world.open({})
      const guard = guardUpgrade({
        ...world.tickets({ cost: 3, key: keyed }),
        settle: undefined,
        logger: console,
      })
      world.running.server.on('upgrade', (request, socket) => void guard(request, socket))
      for (const [i, text] of hostileTexts.entries()) {
        for (const request of requestsOf(`key-${i}`, text)) {
          const received = await exchange(client, upgradeRequest(request))
          expect([headsOf(received)[0]?.status, /zqx/i.test(received)]).toEqual([429, false])
        }
      }
      expect(world.takeWarnings()).toEqual(['SLUICE_PROXY_UNTRUSTED'])
      expect(said.join()).not.toMatch(/zqx/i)
    },
  },
  {
    title: 'names of limiters and policies are encoded in fields, and stand on one line of a log',
    async run(world) {
      const said = listen(world)
      const headers = { draft: true }
      for (const name of names) {
        const policies = { [name]: twoIn10s, other: twoIn10s }
        const store = memoryStore({ clock: world.clock })
        const limits = [
          world.office({ policies, name, headers, shadow: {} }),
          world.tickets({ name, headers, store }),
        ]
        const client = await world.open({ limits: limits.map((each) => ({ ...each, logger: console })) })
        for (const status of [200, 200, 429]) {
          const [head] = headsOf(await exchange(client, rawRequest()))
          expect([name, head?.status, head?.fields['x-zqx']]).toEqual([name, status, undefined])
          const named = parsed(head?.fields.ratelimit).map(([item]) => decodeURIComponent(item))
          const expected = [`${name}.${name}`, `${name}.other`, name].map(sayable)
          expect(named).toEqual(status === 200 ? expected : expected.slice(0, 2))
        }
      }
      expect(world.takeWarnings()).toEqual(Array(names.length).fill('SLUICE_SAME_NAME'))
      expect(said).toHaveLength(names.length)
      for (const line of said) expect(line).not.toMatch(unprintable)
    },
  },
]
