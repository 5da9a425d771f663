import '../patient-core.ts'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { end } from '../end.ts'
import { loginApp } from './login-app.ts'

let redis: Redis
let server: Server
let apps = 0

beforeEach(() => {
  redis = new Redis({ path: socket })
  server = loginApp(redis, `login ${apps++}`).listen(0)
})
afterEach(async () => {
  server.close()
  await end(redis)
})

async function login(name: string, password: string, address = '198.51.100.7'): Promise<Response> {
  const { port } = server.address() as AddressInfo // it listens on a port
  return fetch(`http://127.0.0.1:${port}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ name, password }),
  })
}

it('a name is locked for an hour at the fourth wrong password in a row, for that address alone', async () => {
  for (let i = 0; i < 3; i++) expect((await login('alice', 'guess')).status).toBe(400)
  const locked = await login('alice', 'guess')
  expect([locked.status, locked.headers.get('retry-after')]).toEqual([429, '3600'])
  expect((await login('alice', 'correct horse')).status).toBe(429)
  expect((await login('alice', 'correct horse', '203.0.113.9')).status).toBe(200)
})

it('the right password forgets the wrong ones', async () => {
  for (let i = 0; i < 3; i++) await login('alice', 'guess')
  expect((await login('alice', 'correct horse')).status).toBe(200)
  for (let i = 0; i < 3; i++) expect((await login('alice', 'guess')).status).toBe(400)
})

it('an address is locked for a day that tries many names', async () => {
  for (let i = 0; i < 8; i++) expect((await login(`name ${i}`, 'guess')).status).toBe(400)
  const locked = await login('name 9', 'guess')
  expect(locked.status).toBe(429)
  expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(86_000)
  expect((await login('name 9', 'guess', '203.0.113.9')).status).toBe(400)
})

it('while Redis is away the insurance limiters count', async () => {
  for (const method of ['warn', 'error'] as const) jest.spyOn(console, method).mockImplementation(() => {})
  redis.disconnect()
  for (let i = 0; i < 3; i++) expect((await login('alice', 'guess')).status).toBe(400)
  expect((await login('alice', 'guess')).status).toBe(429)
})
