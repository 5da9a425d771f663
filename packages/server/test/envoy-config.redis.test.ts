import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { StoreUnderTest } from '@sluice/conformance'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { convertEnvoyConfig } from '@sluice/limits'
import { type LimitsServer, serveLimits } from '../src/index.ts'
import { type EnvoyClient, envoyClient } from './client.ts'
import { type EnvoyCase, envoyCases } from './envoy-cases.ts'
import { askedOf, saidOf } from './envoy-words.ts'

const logger = { warn() {}, error() {} }
let redis: StoreUnderTest
let folder: string
let server: LimitsServer
let client: EnvoyClient
beforeAll(async () => {
  redis = await redisUnderTest(socket)
})
afterAll(() => redis.close())
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'envoy-'))
})
afterEach(async () => {
  client.close()
  await server.close()
  rmSync(folder, { recursive: true })
})

function write(files: EnvoyCase['files']): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
}

describe('counted in Redis, the converted files of a team', () => {
  it.each(envoyCases)('decide alike: $title', async ({ files, steps }) => {
    write(files)
    write({ 'converted.txt': await convertEnvoyConfig(folder) })
    const name = randomBytes(6).toString('hex')
    const file = path.join(folder, 'converted.txt')
    server = await serveLimits({ file, name, store: redis.store, grpc: { port: 0 }, http: false, logger })
    client = envoyClient(server.grpc?.port ?? 0)
    const answers: (readonly string[])[] = []
    for (const [asked] of steps) answers.push([asked, saidOf(await client.limit(askedOf(asked)))])
    expect(answers).toEqual(steps)
  })
})
