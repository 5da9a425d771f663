import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { type Job, Opened, ticketOf } from './opened.ts'

let opened: Opened
beforeEach(() => {
  opened = new Opened({ limit: 3 })
})
afterEach(() => opened.close())

describe('an offer to a stream queue', () => {
  it('is accepted while fewer than the limit wait, at the next position', async () => {
    const answers = []
    for (let n = 1; n <= 5; n++) answers.push(await opened.queue.offer({ n }))
    expect(answers.map((answer) => (answer.allowed ? answer.position : answer.reason))).toEqual([
      1,
      2,
      3,
      'full',
      'full',
    ])
    expect(await opened.books()).toEqual({ accepted: 3, accountedFor: 3 })
  })

  it('finds what runs in the bound too', async () => {
    await opened.fill(3)
    await opened.join().take(3, new AbortController().signal)
    expect(await opened.queue.offer({ n: 4 })).toMatchObject({ allowed: false, reason: 'full' })
  })

  it('gives refused callers successive places, at most one whole queue away', async () => {
    await opened.fill(3)
    const waits: (number | null)[] = []
    for (let i = 0; i < 5; i++) {
      const answer = await opened.queue.offer({ n: 4 })
      if (!answer.allowed) waits.push(answer.retryAfterMs)
    }
    // Nothing is measured yet, so a gap is a second.
    expect(waits.map((ms) => Math.round(Number(ms) / 1000))).toEqual([1, 2, 3, 3, 3])
  })

  it('gets a ticket that reveals nothing', async () => {
    const [ticket = ''] = await opened.fill(1)
    expect(ticket).toMatch(/^[\w-]{22}$/)
    expect(await opened.client.hkeys(opened.key('t'))).toEqual([ticket])
  })

  // biome-ignore format: a table
  it.each<[bytes: number, answer: string]>([
    // a job's JSON   what comes of it
    [100,             'accepted'],
    [101,             'too-large'],
  ])('of %d bytes where 100 are allowed is %s', async (bytes, answer) => {
    const queue = opened.another({ maxJobBytes: 100 })
    // ä has two bytes, and the quotes one each.
    const offer = await queue.offer(`${'ä'.repeat(49)}${'x'.repeat(bytes - 100)}` as unknown as Job)
    expect(offer.allowed ? 'accepted' : offer.reason).toBe(answer)
  })

  it('without JSON is an OptionError', async () => {
    await expect(opened.queue.offer(undefined as unknown as Job)).rejects.toThrow(
      /^job: expected a value with/,
    )
  })

  it('is sent as a text where the server has forgotten its scripts', async () => {
    await opened.fill(1)
    await opened.client.script('FLUSH')
    expect(await opened.queue.offer({ n: 2 })).toMatchObject({ allowed: true, position: 2 })
  })
})

describe('entries keep their order and their numbers', () => {
  const hour = 3_600_000
  // In the same millisecond the server itself would refuse a number that it has.
  const later = async (change: () => Promise<unknown>) => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    await change()
  }

  // biome-ignore format: a table
  it.each<[what: string, change: () => Promise<unknown>, number: string]>([
    // what was done                     how                                                          next number
    ['the clock has stepped back',       () => opened.client.xadd(opened.key('e'), `${Date.now() + hour}-2`, 't', 'x', 'j', '1'), '3'],
    ['the number was lost',              () => later(() => opened.client.del(opened.key('n'))),       '2'],
    ['an entry with a far number came',  () => opened.client.xadd(opened.key('e'), `${Date.now() + hour}-40`, 't', 'x', 'j', '1'), '41'],
  ])('where %s', async (_what, change, number) => {
    await opened.fill(1)
    await change()
    const ticket = ticketOf(await opened.queue.offer({ n: 2 }))
    const id = await opened.client.hget(opened.key('t'), ticket)
    const [last] = await opened.client.xrevrange(opened.key('e'), '+', '-', 'COUNT', 1)
    expect(last?.[0]).toBe(id)
    expect(id?.split('-')[1]).toBe(number)
    expect(await opened.client.get(opened.key('n'))).toBe(number)
  })
})

describe("a server's clock that is not where it was", () => {
  it('is measured anew, and the offer accepted', async () => {
    let asked = 0
    const client = Object.create(opened.client, {
      call: {
        // As if the clock had stood an hour back when it was asked.
        value: async (command: string, ...args: readonly string[]) => {
          const reply: unknown = await opened.client.call(command, ...args)
          if (command !== 'TIME' || !Array.isArray(reply)) return reply
          asked++
          return [Number(reply[0]) - 3600, reply[1]]
        },
      },
    })
    const queue = opened.another({ redis: client })
    expect(await queue.offer({ n: 1 })).toMatchObject({ allowed: true, position: 1 })
    expect(await queue.offer({ n: 2 })).toMatchObject({ allowed: true, position: 2 })
    expect(asked).toBe(1)
  })
})
