import { afterEach, beforeEach, expect, it } from '@jest/globals'
import type { FastifyInstance } from 'fastify'
import { notes } from './example.ts'

let app: FastifyInstance
let origin: string
beforeEach(async () => {
  app = await notes()
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(() => app.close())

const get = (path: string, user: string) => fetch(origin + path, { headers: { 'x-user': user } })

async function statusesOf(paths: readonly string[], user = 'ann'): Promise<number[]> {
  const statuses: number[] = []
  for (const path of paths) statuses.push((await get(path, user)).status)
  return statuses
}

it('limits users, each on its own, and nobody who is on the list', async () => {
  const six = Array.from({ length: 6 }, () => '/notes')
  expect(await statusesOf(six)).toEqual([200, 200, 200, 200, 200, 429])
  expect(await statusesOf(['/notes'], 'bob')).toEqual([200])
  expect(await statusesOf(six, 'monitor')).toEqual([200, 200, 200, 200, 200, 200])
})

it('leaves out the route that says so, and limits what is not found', async () => {
  const lost = ['/lost', '/lost', '/lost']
  expect(await statusesOf(lost)).toEqual([404, 404, 429])
  expect(await statusesOf(Array.from({ length: 6 }, () => '/health'))).toEqual([200, 200, 200, 200, 200, 200])
})

it('counts the routes of a group together, and bans', async () => {
  expect(await statusesOf(['/mail', '/mail/again', '/mail'])).toEqual([200, 200, 429])
  const banned = await get('/mail/again', 'ann')
  expect(await banned.json()).toEqual({
    statusCode: 403,
    error: 'Banned',
    message: '2 requests, again in 1 minute',
  })
})

it('counts failed logins only', async () => {
  const login = async (password: string) => {
    const body = JSON.stringify({ user: 'ann', password })
    const answer = await fetch(`${origin}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-user': `${password} ${Math.random()}` },
      body,
    })
    return answer.status
  }
  const statuses = [await login('secret'), await login('wrong'), await login('wrong'), await login('secret')]
  expect(statuses).toEqual([200, 401, 401, 429])
})
