import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { StoreUnderTest } from '@sluice/conformance'
import { baseUs } from '@sluice/conformance/internal'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { type Check, fixedWindow, multiWindow, type Question, slidingWindowLog } from '../../src/index.ts'
import { checkOf } from './real-store.ts'

const hour = fixedWindow({ limit: 5, window: '1h' })
const log = slidingWindowLog({ limit: 3, window: '90s' })
const windows = multiWindow({
  limits: [
    { limit: 8, window: '10s' },
    { limit: 9, window: '60s' },
  ],
})

let subject: StoreUnderTest
beforeAll(async () => {
  subject = await redisUnderTest(socket)
  await subject.setClock(baseUs + 700_000)
})
afterAll(() => subject.close())

async function ask(checks: readonly Check[], charge: Question['charge']) {
  return subject.store.answer({ checks, charge, maxWaitUs: 0, take: true })
}

describe('the summary that the script folds', () => {
  // biome-ignore format: a table
  it.each<[string, Question['charge'], readonly Check[], unknown]>([
    // what                     charge             policies                                                      five numbers
    ['all allow',               'all-or-nothing',  [checkOf(hour, { cost: 2 }), checkOf(log)],                    [0, 3, 2, -1, 3600]],
    ['one refuses for ever',    'all-or-nothing',  [checkOf(hour, { cost: 6 }), checkOf(log)],                    [1, 3, 3, -1, 0]],
    ['who allows is charged',   'every-level',     [checkOf(hour, { cost: 6 }), checkOf(log)],                    [1, 3, 2, -1, 90]],
    ['a window speaks',         'all-or-nothing',  [checkOf(windows, { cost: 3 }), checkOf(windows)],             [0, 8, 5, -1, 60]],
    ['a shadow policy is none', 'all-or-nothing',  [checkOf(log, { cost: 4, shadow: true }), checkOf(hour)],      [0, 5, 4, -1, 3600]],
    ['of shadows alone',        'all-or-nothing',  [checkOf(log, { shadow: true }), checkOf(log, { shadow: true })], undefined],
    ['of one policy',           'all-or-nothing',  [checkOf(log)],                                                undefined],
  ])('%s (%s)', async (_what, charge, checks, summary) => {
    const rows = await ask(checks, charge)
    expect(rows?.summary).toEqual(summary)
  })

  it('has the longest wait of those that refuse, and cuts it to whole seconds', async () => {
    const checks = [checkOf(hour, { cost: 5 }), checkOf(log, { cost: 3 })]
    await ask(checks, 'all-or-nothing')
    await subject.setClock(baseUs + 700_000 + 1)
    const rows = await ask(checks, 'all-or-nothing')
    expect(rows?.summary).toEqual([1, 3, 0, 3599, 3599])
  })

  it('is one for each of several questions', async () => {
    const questions = [[checkOf(hour), checkOf(log)], [checkOf(hour)], [checkOf(log), checkOf(windows)]]
    const answers = await Promise.all(questions.map((checks) => ask(checks, 'all-or-nothing')))
    expect(answers.map((rows) => rows.summary?.slice(0, 3))).toEqual([[0, 3, 2], undefined, [0, 3, 2]])
    expect(answers.map((rows) => rows.map(({ remaining }) => remaining))).toEqual([[4, 2], [4], [2, 7]])
  })
})
