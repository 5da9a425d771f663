import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { Site } from './site.ts'

describe('a client that is not on this machine', () => {
  let site: Site
  beforeAll(async () => {
    site = await new Site().listen()
  })
  afterAll(() => site.close())

  it.each([
    ['GET', '/crowd'],
    ['POST', '/crowd'],
    ['DELETE', '/crowd/0000'],
    ['POST', '/crowd/0000/tickets'],
  ])('is turned away from %s %s before anything else', async (method, path) => {
    const { status, headers, body } = await site.ask(method, path, { headers: { Via: '1.1 gate' } })
    expect([status, headers['content-type']]).toEqual([403, 'application/problem+json'])
    expect(body).toEqual({
      type: 'about:blank',
      title: 'Forbidden',
      status: 403,
      detail:
        'The load-test endpoint serves this machine only, and this request is refused: its via field names a proxy.',
    })
  })
})
