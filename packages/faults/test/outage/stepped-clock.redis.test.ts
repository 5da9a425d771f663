import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { RedisProcess, SteppedClock, say, whyNoSteppedServer } from '../../src/index.ts'
import type { Dates } from './dates.ts'

const hour = 3600
/** Seconds that pass between two looks at a clock here, at most. */
const slack = 30
const steps = [hour, -hour, 0]

const clock = new SteppedClock()
afterAll(() => clock.end())

describe('the Date of a program', () => {
  const child = fork(path.join(import.meta.dirname, 'dates.ts'), {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, ...clock.forNode },
  })
  afterAll(() => void child.kill())

  it.each(steps)('is %d seconds ahead while it runs', async (seconds) => {
    clock.step(seconds)
    child.send('look')
    const [{ present, past, isDate }] = (await once(child, 'message')) as [Dates] // all that it says
    for (const ms of present) expect(Math.abs((ms - Date.now()) / 1000 - seconds)).toBeLessThan(slack)
    expect([past, isDate]).toEqual([0, true])
  })
})

const reason = whyNoSteppedServer()
const withCompiler = reason === undefined ? describe : describe.skip

withCompiler(`the clock of a Redis server${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  let server: RedisProcess
  beforeAll(async () => {
    server = await RedisProcess.prepare([], { environment: clock.forServer() })
    await server.start()
  })
  afterAll(() => server.end())

  it.each(steps)('is %d seconds ahead while it runs, in scripts too', async (seconds) => {
    clock.step(seconds)
    const inScript = await say(server, 'EVAL', "return redis.call('TIME')", 0)
    for (const time of [await say(server, 'TIME'), inScript]) {
      const [serverSeconds] = time as [string, string] // seconds and microseconds
      expect(Math.abs(Number(serverSeconds) - Date.now() / 1000 - seconds)).toBeLessThan(slack)
    }
  })

  it('also says when a key expires', async () => {
    clock.step(0)
    await say(server, 'SET', 'soon', 'here', 'EX', hour / 2)
    expect(await say(server, 'EXISTS', 'soon')).toBe(1)
    clock.step(hour)
    expect(await say(server, 'EXISTS', 'soon')).toBe(0)
  })
})
