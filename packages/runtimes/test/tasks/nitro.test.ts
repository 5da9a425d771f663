import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type NitroOfPage, nitroOfPage } from '../../src/nitro-page.ts'

const page = expect.stringContaining('<p>hello</p>')

describe.each([
  ['Nitro 2', [['/', 'hello']], false],
  ['Nitro 3', [['/', 'hello']], true],
  [
    'Nuxt 4',
    [
      ['/', page],
      ['/api/hello', 'hello'],
    ],
    false,
  ],
] as const)('the plugin of docs/fetch.md in %s', (which, routes, joinsFields) => {
  let upstream: Server
  let nitro: NitroOfPage
  let passedOn = 0
  beforeAll(async () => {
    upstream = createServer((req, res) => {
      passedOn++
      const limit = /^\/of-(\d+)/.exec(req.url ?? '')?.[1]
      if (limit !== undefined)
        for (const name of ['Limit', 'Remaining', 'Reset']) res.setHeader(`X-RateLimit-${name}`, limit)
      res.end('from elsewhere')
    }).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const { port } = upstream.address() as AddressInfo // it listens on a port
    nitro = await nitroOfPage(which, `http://127.0.0.1:${port}`)
  }, 300_000)
  afterAll(async () => {
    await nitro?.stop()
    nitro?.remove()
    upstream.close()
  })

  const get = async (place: string) => {
    const response = await fetch(`http://127.0.0.1:${nitro.port}${place}`, { redirect: 'manual' })
    const left = response.headers.get('x-ratelimit-remaining')
    return [response.status, await response.text(), left === null ? left : Number(left)] as const
  }

  it('counts a route, what a rule redirects, and what a rule passes on', async () => {
    const [[place, body]] = routes
    expect(await get(place)).toEqual([200, body, 99])
    expect(await get('/old/page')).toEqual([307, expect.anything(), 98])
    expect(await get('/proxied/page')).toEqual([200, 'from elsewhere', 97])
  })

  it('beside fields of the server that a rule passes on to: in Nitro 3 those of the limit with less left', async () => {
    expect(await get('/proxied/of-5')).toEqual([200, 'from elsewhere', 5])
    expect(await get('/proxied/of-500')).toEqual([200, 'from elsewhere', joinsFields ? 95 : 500])
  })

  it('counts every route, and refuses what a rule would redirect or pass on', async () => {
    for (let left = 94; left >= 0; left--) {
      const [place, body] = routes[left % routes.length] ?? routes[0]
      expect(await get(place)).toEqual([200, body, left])
    }
    for (const place of [...routes.map(([route]) => route), '/old/page', '/proxied/page'])
      expect(await get(place)).toEqual([429, expect.stringContaining('"reason":"limited"'), 0])
    expect(passedOn).toBe(3)
  })
})
