import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { killPrograms, runZoo, until } from './program.ts'
import { bodyOf, buy, frameworks, look, type RunningZoo, startZoo } from './zoo.ts'

const shipped = path.resolve(__dirname, '../limits.yaml')
const lemur = (limit: number) => `schema:
  attraction:
    children:
      lemur: { limits: { strategy: attributedWindow, limit: ${limit}, window: 1h } }
`

/** What is wrong with `lemur(-1)`. */
const noLemur =
  '4:61: schema.attraction.children.lemur.limits.limit: expected a whole number from 0 to 100000, got -1 (number)'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'zoo-limits-'))
  file = path.join(folder, 'limits.yaml')
})
afterEach(() => rm(folder, { recursive: true }))
afterAll(killPrograms)

/** Puts a new file in the place of the old one, as editors do: whoever reads sees the one or the other. */
async function put(text: string): Promise<void> {
  await writeFile(`${file}.new`, text)
  await rename(`${file}.new`, file)
}

async function buyLemurs(zoo: RunningZoo, orders: number): Promise<readonly number[]> {
  const statuses: number[] = []
  for (let i = 0; i < orders; i++) statuses.push((await buy(zoo, 'lemur', { visitor: 'bob' })).status)
  return statuses
}

async function untilLimit(zoo: RunningZoo, limit: number): Promise<unknown> {
  return until(`limit of ${limit}`, async () => {
    const standing = await look(zoo, 'lemur')
    return standing.limit === limit && standing
  })
}

describe.each(frameworks)('the zoo on %s with its limits in a file', (framework) => {
  test('goes by what the file says now, and goes on counting', async () => {
    await put(lemur(3))
    const zoo = await startZoo('--framework', framework, '--limits', file)
    expect(zoo.program.stdout).toContain(`\n  limits from ${file}, which may be edited meanwhile\n`)
    expect(await buyLemurs(zoo, 4)).toEqual([201, 201, 201, 429])

    await put(lemur(5))
    expect(await untilLimit(zoo, 5)).toMatchObject({ rule: '5 per 1 h', left: 2, againInMs: null })
    expect(await buyLemurs(zoo, 1)).toEqual([201])

    await put(`${lemur(-1)}      owl: {}\n      owl: {}\n`)
    await zoo.program.prints(/stay as they were.*\n/)
    expect(await buyLemurs(zoo, 2)).toEqual([201, 429])

    await put(lemur(6))
    expect(await untilLimit(zoo, 6)).toMatchObject({ left: 1 })
    zoo.program.signal('SIGTERM')
    expect(await zoo.program.ended()).toBe(0)
    expect(zoo.program.stdout.split(`\n${file} was read again: its limits hold now.`)).toHaveLength(3)
    expect(zoo.program.stderr).toBe(`The limits stay as they were: ${file}:${noLemur} (and 1 more)\n`)
  })

  test('limits the tigers, each visitor at a gate and all together', async () => {
    const zoo = await startZoo('--framework', framework, '--limits', shipped)
    expect((await buy(zoo, 'tiger', { visitor: 'bob', quantity: 4 })).status).toBe(201)
    const again = await buy(zoo, 'tiger', { visitor: 'bob' })
    expect(again.status).toBe(429)
    expect(again.headers.get('x-ratelimit-limit')).toBe('1')
    expect(await again.json()).toMatchObject({ 'violated-policies': ['attraction/tiger/visitor/*'] })
    expect(await look(zoo, 'tiger', 'bob')).toMatchObject({
      strategy: 'log + gate per visitor',
      rule: '100 per 10 s, one per visitor every 10 s',
      left: 96,
      visitor: { mayBuy: false },
    })
    expect(await look(zoo, 'tiger', 'ann')).toMatchObject({ visitor: { mayBuy: true, againInMs: null } })
    expect(await look(zoo, 'tiger')).toMatchObject({
      chart: { limiter: 'default', policy: 'attraction/tiger', gates: 'attraction/tiger/' },
    })
  })
})

test('an attraction that the file leaves out has no limit, and one that it denies is closed', async () => {
  await writeFile(file, `${lemur(3)}      owl: { limits: deny }\n`)
  const zoo = await startZoo('--limits', file)
  const sold = await buy(zoo, 'seal', { visitor: 'bob', quantity: 10 })
  expect([sold.status, sold.headers.has('x-ratelimit-limit')]).toEqual([201, false])
  const words = { strategy: 'no limit', rule: 'every order is served' }
  const free = { againInMs: null, allFreeInMs: 0 }
  expect(await look(zoo, 'seal')).toMatchObject({
    ...words,
    ...free,
    limit: null,
    left: null,
    visitor: null,
    chart: null,
  })
  const refused = await buy(zoo, 'owl', { visitor: 'bob' })
  expect([refused.status, await bodyOf(refused)]).toMatchObject([403, { reason: 'denied' }])
  expect(await look(zoo, 'owl')).toMatchObject({
    strategy: 'closed',
    rule: 'nobody gets in',
    limit: 0,
    left: 0,
  })
})

describe('the zoo', () => {
  test('ends with 2 and all that is wrong with its file, one problem a line', async () => {
    await writeFile(file, `${lemur(-1)}      owl: { limit: [20, 10, 1] }\n`)
    const zoo = await runZoo(['--limits', file])
    expect(await zoo.ended()).toBe(2)
    expect(zoo.stdout).toBe('')
    const noOwl =
      '5:14: schema.attraction.children.owl.limit: expected a known field (did you mean "limits"?), got "limit" (string)'
    expect(zoo.stderr).toBe(`${file}:${noLemur}\n${file}:${noOwl}\n`)
  })

  test('looks for its file where the command was typed, and ends with 2 where there is none', async () => {
    const zoo = await runZoo([], { LIMITS: 'limits.yaml', INIT_CWD: folder })
    expect(await zoo.ended()).toBe(2)
    expect(zoo.stdout).toBe('')
    expect(zoo.stderr).toBe(`${file}: expected a file that can be read, got ENOENT\n`)
  })
})
