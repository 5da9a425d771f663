import { expect, it } from '@jest/globals'
import { notes } from './example.ts'
import { served } from './serve.ts'

it('limits users, each on its own', () =>
  served(notes(), async (get) => {
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) statuses.push((await get({ 'X-User': 'ann' }, '/notes')).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    const bob = await get({ 'X-User': 'bob' }, '/notes')
    expect([bob.status, bob.body, bob.headers.get('X-Notes-Remaining')]).toEqual([200, '["/notes"]', '4'])
  }))

it('limits logins by address, and answers by the error handler of the application', () =>
  served(notes(), async (get) => {
    const from = { 'X-Forwarded-For': '192.0.2.1' }
    const answers = [await get(from, '/login'), await get(from, '/login'), await get(from, '/login')]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
    const refused = await get(from, '/login')
    expect([refused.status, refused.body]).toEqual([429, '{"error":"Too many attempts."}'])
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(890)
    expect((await get({ 'X-Forwarded-For': '192.0.2.2' }, '/login')).status).toBe(401)
  }))

it('lets health checks through, and refuses who is unwanted', () =>
  served(notes(), async (get) => {
    for (let i = 0; i < 7; i++) expect((await get({}, '/health')).status).toBe(200)
    expect((await get({ 'X-Forwarded-For': '203.0.113.66' }, '/notes')).status).toBe(403)
  }))
