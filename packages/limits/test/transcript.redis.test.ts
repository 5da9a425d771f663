import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { memoryUnderTest, type StoreUnderTest } from '@sluice/conformance'
import { baseUs } from '@sluice/conformance/internal'
import { decisions } from '@sluice/core/internal'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { type Limits, loadLimits } from '../src/index.ts'
import { original } from './examples.ts'

// [limited, limit, remaining, retry-after, reset-after] of user/alex, of user/alex/trade -> of both.
// The first call, then sixteen within half a second.
const transcript = `
[0,16,15,-1,2] [0,6,5,-1,1] -> [0,6,5,-1,2]
[0,16,14,-1,3] [0,6,4,-1,2] -> [0,6,4,-1,3]
[0,16,13,-1,5] [0,6,3,-1,4] -> [0,6,3,-1,5]
[0,16,12,-1,7] [0,6,2,-1,5] -> [0,6,2,-1,7]
[0,16,11,-1,9] [0,6,1,-1,7] -> [0,6,1,-1,9]
[0,16,10,-1,11] [0,6,0,-1,8] -> [0,6,0,-1,11]
[0,16,9,-1,13] [1,6,0,1,8] -> [1,6,0,1,13]
[0,16,8,-1,15] [1,6,0,1,8] -> [1,6,0,1,15]
[0,16,7,-1,17] [1,6,0,1,8] -> [1,6,0,1,17]
[0,16,6,-1,19] [1,6,0,1,8] -> [1,6,0,1,19]
[0,16,5,-1,21] [1,6,0,1,8] -> [1,6,0,1,21]
[0,16,4,-1,23] [1,6,0,1,8] -> [1,6,0,1,23]
[0,16,3,-1,25] [1,6,0,1,8] -> [1,6,0,1,25]
[0,16,2,-1,27] [1,6,0,1,8] -> [1,6,0,1,27]
[0,16,1,-1,29] [1,6,0,1,8] -> [1,6,0,1,29]
[0,16,0,-1,31] [1,6,0,1,8] -> [1,6,0,1,31]
[1,16,0,1,31] [1,6,0,1,8] -> [1,6,0,1,31]
`
const lines = transcript.trim().split('\n')
const stepUs = 500_000 / (lines.length - 1)

describe.each<[string, () => Promise<StoreUnderTest>]>([
  ['memory', memoryUnderTest],
  ['redis', () => redisUnderTest(socket)],
])('the file of the first page on %s', (_name, make) => {
  let subject: StoreUnderTest
  let limits: Limits
  beforeEach(async () => {
    subject = await make()
    limits = await loadLimits({ text: original, store: subject.store })
  })
  afterEach(async () => {
    await limits.close()
    await subject.close()
  })

  it('says what it says, digit by digit', async () => {
    const said: string[] = []
    for (const i of lines.keys()) {
      await subject.setClock(baseUs + i * stepUs)
      const decision = await limits.check(['user', 'alex', 'trade'])
      const rows = decisions
        .verdictsBehind(decision)
        .map(({ row }) => JSON.stringify(decisions.summaryOf(row)))
      said.push(`${rows.join(' ')} -> ${JSON.stringify(decision.summary)}`)
    }
    expect(said).toEqual(lines)
  })

  it('answers nothing for what is allowed, and the numbers of each level for what is limited', async () => {
    await subject.setClock(baseUs)
    for (let i = 0; i < 6; i++) expect(await limits.authorizeActionForUser('eva', 'trade')).toBeUndefined()
    expect(await limits.authorizeActionForUser('eva', 'trade')).toEqual({
      summary: [1, 6, 0, 1, 14],
      levels: [
        { path: 'user/eva', policy: 'user/*', row: [0, 16, 9, -1, 14] },
        { path: 'user/eva/trade', policy: 'user/*/trade', row: [1, 6, 0, 1, 9] },
      ],
    })
  })
})
