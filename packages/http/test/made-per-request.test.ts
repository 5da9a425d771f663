import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import { guardRequest } from '../src/guard-request.ts'

const policy = fixedWindow({ limit: 1, window: '1h' })
let warned: string[]
const observers = [{ warned: ({ code }: { readonly code: string }) => void warned.push(code) }]
const logger = { warn() {}, error() {} }
const limit = () => guardRequest({ policy, observers, logger })

let handle: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>
const server = createServer((request, response) => {
  handle(request, response).then((mayPass) => mayPass && response.end())
})
beforeEach(async () => {
  warned = []
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => new Promise((resolve) => server.close(resolve)))

async function statuses(
  requests: number,
  path: (i: number) => string = () => '/',
): Promise<readonly number[]> {
  const { port } = server.address() as { port: number } // it listens on one
  const found: number[] = []
  for (let i = 0; i < requests; i++) found.push((await fetch(`http://127.0.0.1:${port}${path(i)}`)).status)
  return found
}

it('limits that are made when a tenant first comes, and are kept, warn of nothing', async () => {
  const tenants = new Map<string, ReturnType<typeof limit>>()
  handle = (request, response) => {
    const tenant = String(request.url)
    const known = tenants.get(tenant) ?? limit()
    tenants.set(tenant, known)
    return known(request, response)
  }
  await statuses(18, (i) => `/${i % 9}`)
  await statuses(18, (i) => `/more/${i % 9}`)
  expect(warned).toEqual([])
})

it('those that are made ahead of their only requests warn of nothing', async () => {
  for (let i = 0; i < 12; i++) {
    const guard = limit()
    handle = (request, response) => guard(request, response)
    expect(await statuses(1)).toEqual([200])
  }
  expect(warned).toEqual([])
})

it('nor do they in a test whose timers are fake', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'setTimeout', 'clearTimeout'] })
  try {
    for (let i = 0; i < 12; i++) {
      const guard = limit()
      handle = (request, response) => guard(request, response)
      expect(await statuses(1)).toEqual([200])
    }
  } finally {
    jest.useRealTimers()
  }
  expect(warned).toEqual([])
})

it('a limit that is made anew for each request warns at the tenth, and once', async () => {
  handle = (request, response) => limit()(request, response)
  expect(await statuses(9)).toEqual(Array(9).fill(200))
  expect(warned).toEqual([])
  await statuses(11)
  expect(warned).toEqual(['SLUICE_MADE_PER_REQUEST'])
})
