import { execFileSync } from 'node:child_process'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { type Limits, loadLimits, type ReloadEvent } from '../src/index.ts'

const limitedTo = (limit: number) => `schema:
  user:
    limits: { strategy: fixedWindow, limit: ${limit}, window: 1h }
`

describe('a file of limits that changes', () => {
  let folder: string
  let file: string
  let limits: Limits
  const logged: string[] = []
  const heard: ReloadEvent[] = []
  let waiting: (() => void) | undefined

  /** The next event, whenever it was or will be. */
  async function event(): Promise<ReloadEvent> {
    while (heard.length === 0) await new Promise<void>((resolve) => (waiting = resolve))
    return heard.shift() as ReloadEvent // there is one
  }

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-limits-'))
    file = path.join(folder, 'limits.yaml')
    await writeFile(file, limitedTo(5))
    const logger = { warn: () => {}, error: (text: string) => logged.push(text) }
    const onReload = (happened: ReloadEvent) => {
      heard.push(happened)
      waiting?.()
    }
    limits = await loadLimits({ file, logger, onReload })
  })
  afterEach(async () => {
    await limits.close()
    await rm(folder, { recursive: true })
    logged.length = 0
    heard.length = 0
  })

  it('is not watched where it is broken at the start', async () => {
    // Those that are open watch the file, and would have a timer of their own.
    await limits.close()
    await writeFile(file, 'schema: 7\n')
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
    try {
      await expect(loadLimits({ file })).rejects.toMatchObject({ code: 'SLUICE_LIMITS' })
      expect(jest.getTimerCount()).toBe(0)
    } finally {
      jest.useRealTimers()
    }
  })

  it('ends no process by what its listener promises and does not keep', async () => {
    await limits.close()
    const broken = Promise.reject(new Error('a listener of no use'))
    broken.catch(() => {})
    const then = jest.spyOn(broken, 'then')
    limits = await loadLimits({ file, onReload: () => broken })
    await writeFile(file, limitedTo(4))
    while (then.mock.calls.length === 0) await new Promise((resolve) => setImmediate(resolve))
  })

  it('holds without a restart, and nothing that was counted is lost', async () => {
    await limits.check(['user'], { cost: 3 })
    await writeFile(file, limitedTo(4))
    expect(await event()).toEqual({ ok: true })
    expect(await limits.check(['user'])).toMatchObject({ limit: 4, remaining: 0 })
  })

  it('is a problem while a pipe is in its place, and no read without an end', async () => {
    const next = path.join(folder, '.next')
    execFileSync('mkfifo', [next])
    await rename(next, file)
    const problems = [{ expected: 'a file that can be read', got: 'a pipe or a device' }]
    expect(await event()).toMatchObject({ ok: false, problems })
    await writeFile(next, limitedTo(9))
    await rename(next, file)
    expect(await event()).toEqual({ ok: true })
    expect((await limits.peek(['user'])).limit).toBe(9)
  })

  it('as editors do it: a new file in the place of the old one', async () => {
    const next = path.join(folder, '.limits.yaml.swp')
    await writeFile(next, limitedTo(9))
    await rename(next, file)
    expect(await event()).toEqual({ ok: true })
    expect((await limits.peek(['user'])).limit).toBe(9)
  })

  it('for the worse keeps the old limits, and is reported with line and column', async () => {
    await writeFile(file, limitedTo(-1))
    const problem = {
      file,
      line: 3,
      column: 45,
      path: 'schema.user.limits.limit',
      expected: 'a whole number of at least 0',
      got: '-1 (number)',
    }
    expect(await event()).toEqual({ ok: false, problems: [problem] })
    expect(logged).toEqual([
      `[sluice] the previous limits stay in force: ${file}:3:45: schema.user.limits.limit: expected a whole number of at least 0, got -1 (number)`,
    ])
    expect((await limits.peek(['user'])).limit).toBe(5)
    await writeFile(file, limitedTo(7))
    expect(await event()).toEqual({ ok: true })
    expect((await limits.peek(['user'])).limit).toBe(7)
  })

  it('for the worse is in the health until it is mended, and observers hear of both', async () => {
    const told: string[] = []
    const observers = [{ warned: ({ code }: { code: string }) => void told.push(code) }]
    const onReload = (happened: ReloadEvent) => {
      heard.push(happened)
      waiting?.()
    }
    await limits.close()
    limits = await loadLimits({ file, logger: { warn() {}, error() {} }, observers, onReload })
    for (const limit of [-2, -1]) {
      await writeFile(file, limitedTo(limit))
      expect(await event()).toMatchObject({ ok: false })
      expect(limits.health()).toMatchObject({
        status: 'degraded',
        warnings: ['SLUICE_RELOAD_FAILED'],
        failedReloads: [
          { source: file, error: expect.stringContaining(`${file}:3:45: schema.user.limits.limit`) },
        ],
      })
    }
    await writeFile(file, limitedTo(7))
    expect(await event()).toEqual({ ok: true })
    expect(limits.health()).toMatchObject({ status: 'ok', warnings: [] })
    expect(limits.health()).not.toHaveProperty('failedReloads')
    expect(told).toEqual(['SLUICE_RELOAD_FAILED', 'SLUICE_RELOAD_FAILED', 'SLUICE_RELOADED'])
  })

  it('is not read again once the limiter is closed', async () => {
    await limits.close()
    const other = await loadLimits({ file, onReload: () => waiting?.() })
    const changed = new Promise<void>((resolve) => (waiting = resolve))
    await writeFile(file, limitedTo(8))
    await changed
    await other.close()
    expect(heard).toEqual([])
    expect((await limits.peek(['user'])).limit).toBe(5)
  })
})
