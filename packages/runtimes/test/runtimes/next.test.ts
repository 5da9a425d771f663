import { expect, it } from '@jest/globals'
import { startNext } from '../../src/server.ts'
import { describeRuntime, type Lacks } from './describe-runtime.ts'

const common: Lacks = {
  addressField: 'X-Forwarded-For',
  fieldsOfErrors: 'it makes its own answer to what a route handler throws',
  more(zoo) {
    it('docs/fetch.md: its route handler', async () => {
      const { status, headers, body } = await zoo().send('/start', 'a')
      expect([status, body, headers['x-ratelimit-remaining']]).toEqual([200, '{"hello":"zoo"}', '99'])
    })

    it('docs/fetch.md: its proxy, in front of a page: the fields on it, then a refusal', async () => {
      const replies = await Promise.all(Array.from({ length: 200 }, () => zoo().send('/', 'a')))
      const [page] = replies.filter(({ headers }) => headers['x-ratelimit-remaining'] === '99')
      expect([page?.status, page?.body]).toEqual([200, expect.stringContaining('a page')])
      const refused = replies.filter(({ status }) => status === 429)
      expect(refused.length).toBeGreaterThan(0)
      expect(refused.length).toBeLessThanOrEqual(100)
      expect(JSON.parse(refused[0]?.body ?? '')).toMatchObject({ status: 429 })
    })
  },
}

describeRuntime('Next.js', () => startNext(), common)

describeRuntime('Next.js on Edge', () => startNext('next-edge'), common)
