import { afterEach, expect, it } from '@jest/globals'
import { descriptor } from './client.ts'
import { type Served, served } from './served.ts'

const text = `
match: end
schema:
  shop:
    children:
      user: { children: { "*": { limits: { strategy: fixedWindow, limit: 2, window: 1h } } } }
      tried: { children: { "*": { limits: { strategy: fixedWindow, limit: 1, window: 1h, shadow: true } } } }
      staff: { children: { "*": { limits: unlimited } } }
      bot: { children: { "*": { limits: deny } } }
      low: { children: { "*": { name: low, limits: { strategy: fixedWindow, limit: 1, window: 1h } } } }
      high: { children: { "*": { replaces: [low], limits: { strategy: fixedWindow, limit: 9, window: 1h } } } }
`
let service: Served
afterEach(() => service.end())

/** Lines of the metric: descriptor, outcome, hits. */
async function counts(): Promise<readonly string[]> {
  const answer = await fetch(`http://127.0.0.1:${service.server.http?.port}/metrics`)
  const lines = (await answer.text()).split('\n')
  return lines
    .flatMap((line) => {
      const [, place, outcome, hits] =
        /^sluice_descriptor_hits_total\{descriptor="(.*)",outcome="(.*)"\} (\d+)$/.exec(line) ?? []
      return place === undefined ? [] : [`${place} ${outcome} ${hits}`]
    })
    .sort()
}

it('hits are counted by descriptor, also where no limit counts them', async () => {
  service = await served(text, { http: { port: 0 } })
  const ask = (...entries: readonly string[]) =>
    service.client.limit({ domain: 'shop', descriptors: entries.map((entry) => descriptor(entry)) })
  for (let i = 0; i < 3; i++) await ask('user=ann')
  await service.client.limit({ domain: 'shop', descriptors: [descriptor('user=bob')], hits_addend: 2 })
  for (let i = 0; i < 2; i++) await ask('tried=1')
  await ask('staff=ann')
  await ask('none=1', 'low=1', 'high=1')
  // What is asked beside a denied descriptor is not counted.
  await ask('user=eve', 'bot=1')
  expect(await counts()).toEqual([
    'shop/bot/* denied 1',
    'shop/high/* within 1',
    'shop/low/* replaced 1',
    'shop/staff/* unlimited 1',
    'shop/tried/* shadow 1',
    'shop/tried/* within 1',
    'shop/user/* over 1',
    'shop/user/* within 4',
    'unmatched unmatched 1',
  ])
})

it('and paths over HTTP; what is denied for want of a limit too', async () => {
  service = await served(text, { http: { port: 0 }, unmatched: 'deny' })
  const check = (path: readonly string[]) =>
    fetch(`http://127.0.0.1:${service.server.http?.port}/check`, {
      method: 'POST',
      body: JSON.stringify({ path, cost: 2 }),
    })
  await check(['shop', 'user', 'ann'])
  await check(['park'])
  expect(await counts()).toEqual(['shop/user/* within 2', 'unmatched denied 2'])
})
