import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { type LimitsServer, type ServeOptions, serveLimits } from '../src/index.ts'
import { type EnvoyClient, envoyClient } from './client.ts'
import { envoyCases } from './envoy-cases.ts'
import { askedOf, saidOf } from './envoy-words.ts'

const logger = { warn() {}, error() {} }
const ten =
  'domain: zoo\ndescriptors:\n  - { key: keeper, rate_limit: { unit: minute, requests_per_unit: 10 } }\n'
let folder: string
let server: LimitsServer | undefined
let client: EnvoyClient | undefined
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'envoy-'))
})
afterEach(async () => {
  client?.close()
  await server?.close()
  rmSync(folder, { recursive: true })
})

function write(files: { readonly [name: string]: string }): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
}

async function serve(options: Partial<ServeOptions> = {}): Promise<EnvoyClient> {
  server = await serveLimits({ envoyConfig: folder, grpc: { port: 0 }, http: false, logger, ...options })
  client = envoyClient(server.grpc?.port ?? 0)
  return client
}

describe('the files of a team, asked by a client of the published protocol', () => {
  it.each(envoyCases)('$title', async ({ files, steps }) => {
    write(files)
    const { limit } = await serve({ store: memoryStore({ clock: manualClock() }) })
    const answers: (readonly string[])[] = []
    for (const [asked] of steps) answers.push([asked, saidOf(await limit(askedOf(asked)))])
    expect(answers).toEqual(steps)
  })

  it('count in windows of the clock, and say how long they last', async () => {
    const clock = manualClock()
    write({ 'a.yaml': ten })
    const { limit } = await serve({ store: memoryStore({ clock }) })
    const asked = askedOf('zoo: keeper=ann +10')
    const secondsLeft = 60 - (Math.floor(clock.nowUs() / 1e6) % 60)
    const first = await limit(asked)
    expect(Math.ceil(Number(first.statuses[0]?.duration_until_reset?.seconds))).toBeLessThanOrEqual(
      secondsLeft,
    )
    expect((await limit(asked)).overall_code).toBe('OVER_LIMIT')
    await clock.advance((secondsLeft - 1) * 1000)
    expect((await limit(asked)).overall_code).toBe('OVER_LIMIT')
    await clock.advance(1000)
    expect((await limit(asked)).overall_code).toBe('OK')
  })

  it('where nobody is to be refused have each their status, and the whole is OK', async () => {
    write({ 'a.yaml': `${ten}  - { key: gate, rate_limit: { unit: day, requests_per_unit: 0 } }\n` })
    const { limit } = await serve({ shadow: true })
    expect(saidOf(await limit(askedOf('zoo: keeper=ann +11')))).toBe('OK: OVER_LIMIT 0/10 MINUTE')
    const answer = await limit(askedOf('zoo: gate=1'))
    expect(saidOf(answer)).toBe('OK: OVER_LIMIT 0/0 DAY')
    expect([answer.raw_body.length, answer.response_headers_to_add]).toEqual([0, []])
  })

  it('may be one file', async () => {
    write({ 'one.yaml': ten })
    const { limit } = await serve({ envoyConfig: path.join(folder, 'one.yaml') })
    expect(saidOf(await limit(askedOf('zoo: keeper=ann')))).toBe('OK: OK 9/10 MINUTE')
  })
})

describe('a change of the folder', () => {
  /** Resolves at the next line of the log. */
  function logged() {
    const lines: string[] = []
    const heard = new EventTarget()
    const say = (line: string) => {
      lines.push(line)
      heard.dispatchEvent(new Event('line'))
    }
    return { lines, logger: { warn: say, error: say }, next: () => once(heard, 'line') }
  }

  it('is logged, counted, and applies', async () => {
    write({ 'a.yaml': ten })
    const log = logged()
    const { limit } = await serve({ logger: log.logger })
    const next = log.next()
    write({ 'b.yaml': ten.replace('zoo', 'park').replace('10', '3') })
    await next
    expect(log.lines).toEqual([`[sluice] ${folder} was read again, and applies`])
    expect(server?.health()).toMatchObject({ status: 'ok', reloads: 1 })
    expect(saidOf(await limit(askedOf('park: keeper=ann')))).toBe('OK: OK 2/3 MINUTE')
  })

  it('with problems is logged, and changes nothing', async () => {
    write({ 'a.yaml': ten })
    const log = logged()
    // Its windows are minutes of the clock, one of which may end just now.
    const store = memoryStore({ clock: manualClock() })
    const { limit } = await serve({ logger: log.logger, store })
    await limit(askedOf('zoo: keeper=ann'))
    const next = log.next()
    write({ 'a.yaml': ten.replace('minute', 'fortnight') })
    await next
    expect(log.lines).toEqual([
      expect.stringMatching(
        /the previous limits stay in force: .*a\.yaml:3:40: descriptors\[0\]\.rate_limit\.unit: expected a unit/,
      ),
    ])
    expect(server?.health()).toMatchObject({ status: 'degraded', failedReloads: [{ source: folder }] })
    expect(saidOf(await limit(askedOf('zoo: keeper=ann')))).toBe('OK: OK 8/10 MINUTE')
  })
})

it('a folder without files, and a file beside a folder, are refused', async () => {
  await expect(serve()).rejects.toMatchObject({
    code: 'SLUICE_LIMITS',
    message: expect.stringMatching(/expected a folder with \.yaml files, got none/),
  })
  await expect(serve({ file: 'limits.yaml' })).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'file' })
  await expect(serve({ envoyConfig: '' })).rejects.toMatchObject({ path: 'envoyConfig' })
  await expect(serve({ shadow: 1 as never })).rejects.toMatchObject({ path: 'shadow' })
  mkdirSync(path.join(folder, 'deeper.yaml'))
  await expect(serve()).rejects.toMatchObject({
    message: expect.stringMatching(/deeper\.yaml: expected a file that can be read, got EISDIR/),
  })
})
