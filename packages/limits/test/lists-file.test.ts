import { execFileSync } from 'node:child_process'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { createLimiter, gcra } from '@sluice/core'
import { realClock } from '@sluice/core/internal'
import { isLimitsError, listsFile } from '../src/index.ts'
import { readListsText } from '../src/read-lists.ts'

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const soon = inMs(3_600_000)
const denied = (address: string) =>
  `lists:\n  - { list: deny, address: ${address}, until: ${soon}, why: scraper }\n`

describe('a file of lists', () => {
  let folder: string
  let file: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-lists-'))
    file = path.join(folder, 'lists.yaml')
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('is a problem while a pipe is in its place, and no read without an end', async () => {
    await writeFile(file, denied('203.0.113.0/24'))
    const lists = listsFile(file, { logger: { warn() {}, error() {} } })
    let said = (_error: string | undefined) => {}
    const word = () => new Promise<string | undefined>((resolve) => (said = resolve))
    lists.watch?.({
      reloaded: () => said(undefined),
      reloadFailed: ({ error }) => said(error),
      warned() {},
    })
    const next = path.join(folder, '.next')
    execFileSync('mkfifo', [next])
    let event = word()
    await rename(next, file)
    expect(await event).toContain('expected a file that can be read, got a pipe or a device')
    expect(lists.ofAddress('203.0.113.9', 'default')).toBeDefined()
    await writeFile(next, denied('198.51.100.7'))
    event = word()
    await rename(next, file)
    expect(await event).toBeUndefined()
    expect(lists.ofAddress('203.0.113.9', 'default')).toBeUndefined()
    lists.close()
  })

  it('applies when it has changed; a broken one changes nothing and is in the health until it is mended', async () => {
    await writeFile(file, denied('203.0.113.0/24'))
    const logged: string[] = []
    const lists = listsFile(file, { logger: { warn() {}, error: (text: string) => void logged.push(text) } })
    const codes: string[] = []
    let heard = () => {}
    const observers = [
      {
        warned({ code }: { code: string }) {
          codes.push(code)
          heard()
        },
      },
    ]
    const limiter = createLimiter({ policy: gcra({ count: 5, period: '1h' }), lists: [lists], observers })
    const next = () => new Promise<void>((resolve) => (heard = resolve))
    expect((await limiter.peek('203.0.113.9')).reason).toBe('denied')

    let word = next()
    await writeFile(file, denied('203.0.113.9/24'))
    await word
    expect((await limiter.peek('203.0.113.9')).reason).toBe('denied')
    expect(limiter.health()).toMatchObject({
      status: 'degraded',
      failedReloads: [
        {
          source: file,
          error: expect.stringContaining(
            `${file}:2:28: lists[0].address: expected the network "203.0.113.0/24"`,
          ),
        },
      ],
    })
    expect(logged).toEqual([expect.stringContaining('[sluice] the previous lists stay in force: ')])

    word = next()
    await writeFile(file, denied('198.51.100.7'))
    await word
    expect((await limiter.peek('203.0.113.9')).reason).toBeNull()
    expect((await limiter.peek('198.51.100.7')).reason).toBe('denied')
    expect(limiter.health()).toMatchObject({ status: 'ok', warnings: [] })
    expect(codes).toEqual(['SLUICE_RELOAD_FAILED', 'SLUICE_RELOADED'])
    await limiter.close()
    lists.close()
  })

  it('a limiter that is made after a reload has failed knows of it', async () => {
    await writeFile(file, 'lists:\n')
    let heard = () => {}
    const failed = new Promise<void>((resolve) => (heard = resolve))
    const lists = listsFile(file, { logger: { warn() {}, error: () => heard() } })
    await writeFile(file, 'lists: 7\n')
    await failed
    const limiter = createLimiter({ policy: gcra({ count: 5, period: '1h' }), lists: [lists] })
    expect(limiter.health().status).toBe('degraded')
    await limiter.close()
    lists.close()
  })

  it('a limiter that is made after the file was mended knows of no failure', async () => {
    await writeFile(file, 'lists:\n')
    let heard = () => {}
    const next = () => new Promise<void>((resolve) => (heard = resolve))
    const lists = listsFile(file, { logger: { warn() {}, error: () => heard() } })
    lists.watch?.({ reloaded: () => heard(), reloadFailed: () => {}, warned: () => {} })
    let word = next()
    await writeFile(file, 'lists: 7\n')
    await word
    word = next()
    await writeFile(file, denied('198.51.100.7'))
    await word
    const limiter = createLimiter({ policy: gcra({ count: 5, period: '1h' }), lists: [lists] })
    expect(limiter.health().status).toBe('ok')
    await limiter.close()
    lists.close()
  })

  it('applies once it is mended, though the logger throws where it was broken', async () => {
    await writeFile(file, 'lists:\n')
    let broken = () => {}
    const failed = new Promise<void>((resolve) => (broken = resolve))
    const error = () => {
      broken()
      throw new Error('the logger fails')
    }
    const lists = listsFile(file, { logger: { warn() {}, error } })
    let mended = () => {}
    const reloaded = new Promise<void>((resolve) => (mended = resolve))
    lists.watch?.({ warned() {}, reloadFailed() {}, reloaded: () => mended() })
    await writeFile(file, 'lists: 7\n')
    await failed
    await writeFile(file, denied('203.0.113.7'))
    await reloaded
    expect(lists.ofAddress('203.0.113.7', 'any')).toMatchObject({ list: 'deny' })
    lists.close()
  })

  it('that is not there is an error at the start, and is not watched then', () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
    try {
      expect(() => listsFile(file)).toThrow(expect.objectContaining({ code: 'SLUICE_LIMITS' }))
      expect(jest.getTimerCount()).toBe(0)
    } finally {
      jest.useRealTimers()
    }
    const watch = null as never
    expect(() => listsFile(file, { watch })).toThrow(expect.objectContaining({ path: 'options.watch' }))
  })
})

describe('the text of a file of lists', () => {
  it('has keys, lists as keys, and entries of one limiter; what has ended is left out', () => {
    const entries = readListsText(`lists:
  - { list: block, key: 007, until: ${soon}, limiter: login }
  - { list: allow, key: [org-7, alice], until: ${soon}, by: alice }
  - { list: deny, key: mallory, until: ${inMs(-1000)} }
`)
    expect(entries).toMatchObject([
      { list: 'block', key: '007', limiter: 'login' },
      { list: 'allow', key: ['org-7', 'alice'] },
    ])
    expect(entries).toHaveLength(2)
  })

  it('has the end of each entry, on the clock of its process', () => {
    jest.useFakeTimers({ now: Date.parse('2026-12-01T09:00Z') })
    try {
      const [entry] = readListsText('lists: [{ list: deny, key: a, until: 2026-12-01T10:30Z }]')
      const minutes = ((entry?.endsAtUs ?? 0) - realClock.nowUs()) / 60_000_000
      expect(Math.round(minutes)).toBe(90)
    } finally {
      jest.useRealTimers()
    }
  })

  // biome-ignore format: a table
  it.each([
    ['',                                                              ':1:1: expected a mapping with `lists`'],
    ['deny: []',                                                      ':1:1: deny: expected a known field'],
    ['lists: 7',                                                      ':1:8: lists: expected a list of entries'],
    ['lists: [7]',                                                    ':1:9: lists[0]: expected an entry such as'],
    ['lists: [{ list: deny, key: a }]',                               ':1:9: lists[0]: expected until'],
    [`lists: [{ list: ban, key: a, until: ${soon} }]`,                ':1:17: lists[0].list: expected '],
    [`lists: [{ key: a, until: ${soon} }]`,                           ':1:9: lists[0]: expected list, as "deny" or "block" or "allow", got none'],
    [`lists: [{ list: deny, until: ${soon} }]`,                       ':1:9: lists[0]: expected either an address or a key'],
    [`lists: [{ list: deny, key: '', until: ${soon} }]`,              ':1:28: lists[0].key: expected a key'],
    ['lists: [{ list: deny, key: a, until: 2026-12-01T09:00 }]',      ':1:38: lists[0].until: expected an instant with its zone'],
    ['lists: [{ list: deny, key: a, until: 2026-02-30T09:00Z }]',     ':1:38: lists[0].until: expected an instant with its zone'],
    [`lists: [{ list: deny, key: a, until: ${inMs(367 * 86_400_000)} }]`, ':1:38: lists[0].until: expected an end within 366 days'],
  ])('%s is refused at its place', (text, message) => {
    let thrown: unknown
    try {
      readListsText(text, 'l.yaml')
    } catch (error) {
      thrown = error
    }
    expect(isLimitsError(thrown) && thrown.message).toContain(`l.yaml${message}`)
  })

  it('has ten thousand entries at most', () => {
    const text = `lists: [${'a, '.repeat(10_001)}]`
    expect(() => readListsText(text)).toThrow(':1:8: lists: expected at most 10000 entries, got 10001')
  })
})
