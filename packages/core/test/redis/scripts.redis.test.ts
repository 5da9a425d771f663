import { afterAll, describe, expect, it } from '@jest/globals'
import { concurrency, uniform } from '../../src/index.ts'
import { checkOf, policies, question, realStore } from './real-store.ts'

const { store, client } = realStore()
afterAll(() => client.disconnect())

describe('a server that has lost its scripts', () => {
  it.each(policies)('is sent them again, and charges once: $strategy', async (policy) => {
    const check = checkOf(policy)
    await client.script('FLUSH')
    const [rows] = await store.decide([question(check)])
    await client.script('FLUSH')
    await store.adjust([{ check, receipt: null, byUnits: 1 }])
    await client.script('FLUSH')
    const sight = await store.manage({ op: 'inspect', check })
    expect(rows).toHaveLength(1)
    expect(sight).toMatchObject({ row: { remaining: 0 }, blockedUs: null })
  })

  it('is sent the one that renews again', async () => {
    const check = checkOf(concurrency({ limit: 1 }))
    const [rows] = await store.decide([question(check)])
    await client.script('FLUSH')
    expect(await store.renew([{ check, receipt: rows?.[0]?.receipt ?? '' }])).toEqual(['held'])
  })

  it('answers all who ask at once', async () => {
    await client.script('FLUSH')
    const check = checkOf(uniform({ interval: '1h' }))
    const answers = await Promise.all(Array.from({ length: 20 }, () => store.decide([question(check)])))
    expect(answers.flatMap(([rows]) => rows?.filter(({ allowed }) => allowed) ?? [])).toHaveLength(1)
  })
})
