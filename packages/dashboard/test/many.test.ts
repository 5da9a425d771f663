import { describe, expect, test } from '@jest/globals'
import { broadcasterOf } from './broadcaster-of.ts'
import { ClientPage } from './client-page.ts'
import { minute } from './on-hand.ts'
import { Recorded, zero } from './recorded.ts'

/** So many policies, of which the n-th has refused n units in the second that ends now, and let one pass. */
function crowd(recorded: Recorded, rows: number): void {
  for (let i = 0; i < rows; i++) {
    recorded.count('hits', [`limiter ${i}`, 'p'], { second: recorded.clock - 1, units: 1 })
    recorded.count('denied', [`limiter ${i}`, 'p'], { second: recorded.clock - 1, units: i })
  }
}

async function look(recorded: Recorded, all = false) {
  const { broadcaster, parts } = broadcasterOf(recorded)
  const page = new ClientPage()
  broadcaster.join(page.client(), minute, all)
  await broadcaster.step()
  return { broadcaster, parts, page }
}

test('a row that joins while another page does is sent to both, and so is what has happened', async () => {
  const recorded = new Recorded()
  crowd(recorded, 2)
  const { broadcaster, parts, page } = await look(recorded)
  parts.sources.board.row('late', 'p')
  parts.log.add('Key blocked', 'late, bo•, for 10 min.')
  const other = new ClientPage()
  broadcaster.join(other.client(), minute, false)
  recorded.clock++
  await broadcaster.step()
  for (const { rows, messages } of [page, other]) {
    expect(rows.map(({ limiter }) => limiter)).toEqual(['limiter 0', 'limiter 1', 'late'])
    expect(messages.filter(({ event }) => event === 'events').at(-1)).toMatchObject({
      events: [{ title: 'Key blocked' }],
    })
  }
})

describe('a thousand rows', () => {
  test('are shown by the fifty that have refused most, in their order', async () => {
    const recorded = new Recorded()
    crowd(recorded, 1000)
    const { page } = await look(recorded)
    expect(page.rows.map(({ limiter }) => limiter)).toEqual(
      Array.from({ length: 50 }, (_, i) => `limiter ${950 + i}`),
    )
    expect(page.messages.find(({ event }) => event === 'rows')).toMatchObject({ count: 1000 })
    expect(Object.keys(page.totals?.rows ?? {})).toHaveLength(50)
    expect(page.totals?.refusingNow).toBe(999)
  })

  test('are all sent where all are asked for, and each second anew', async () => {
    const recorded = new Recorded()
    crowd(recorded, 1000)
    const { broadcaster, page } = await look(recorded, true)
    expect(page.rows).toHaveLength(1000)
    recorded.clock++
    crowd(recorded, 1000)
    await broadcaster.step()
    expect(page.buckets['limiter 7:p']?.refused.slice(-2)).toEqual([7, 7])
    expect(page.totals?.rows['limiter 999:p']).toEqual({ admitted: 2, refused: 1998, most: 2 })
  })

  test('are chosen anew when others refuse, but not each second', async () => {
    const recorded = new Recorded()
    crowd(recorded, 60)
    const { broadcaster, page } = await look(recorded)
    expect(page.rows.map(({ limiter }) => limiter)).not.toContain('limiter 0')
    recorded.count('denied', ['limiter 0', 'p'], { second: 0, units: 1e6 })
    const shown: boolean[] = []
    for (let i = 0; i < 20; i++) {
      recorded.clock++
      await broadcaster.step()
      shown.push(page.rows.some(({ limiter }) => limiter === 'limiter 0'))
    }
    expect([shown.indexOf(true), shown.lastIndexOf(false)]).toEqual([14, 13])
    expect(page.kinds.filter((kind) => kind === 'rows')).toHaveLength(2)
  })

  test('and as many again have rows; more are added up in one, which says how many they are', async () => {
    const recorded = new Recorded()
    crowd(recorded, 2200)
    const { parts, page } = await look(recorded, true)
    expect([page.rows.length, parts.sources.board.count]).toEqual([2001, 2001])
    const units = Array.from({ length: 200 }, (_, i) => 2000 + i).reduce((sum, each) => sum + each)
    expect(page.totals?.rows['other:']).toEqual({ admitted: 200, refused: units, most: 200 })
    expect(page.rows.at(-1)).toMatchObject({ limiter: 'other', strategy: '', limit: null })
    expect(page.messages.findLast(({ event }) => event === 'rows')).toMatchObject({ cut: 200 })
  })

  test('are read in queries of which none asks for more than a sink answers', async () => {
    const recorded = new Recorded()
    recorded.maxValues = 100_000
    crowd(recorded, 1000)
    for (let i = 0; i < 2500; i++)
      recorded.count('hits', [`early ${i}`, 'p'], { second: -1800 - i / 10, units: 1 })
    const { parts } = await look(recorded)
    expect(parts.reader.filled).toBe(true)
    expect(parts.sources.board.find('limiter 999:p')?.refused.in(zero - 1, 60)).toBe(999)
    expect(parts.sources.board.decided).toBe(true)
  })
})
