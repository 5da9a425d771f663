import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { killPrograms, until } from './program.ts'
import { bodyOf, buy, frameworks, look, type RunningZoo, startZoo } from './zoo.ts'

const order = { visitor: 'bob', quantity: 2 }

describe.each(frameworks)('the queue of the zoo on %s', (framework) => {
  let zoo: RunningZoo
  beforeAll(async () => {
    zoo = await startZoo('--framework', framework)
  })
  afterAll(killPrograms)

  /** Where an accepted order's ticket is reported. */
  async function join(): Promise<string> {
    const answer = await buy(zoo, 'meerkat', order)
    expect(answer.status).toBe(202)
    return zoo.url + answer.headers.get('location')
  }

  test('accepts an order, and its ticket says when it was served', async () => {
    const answer = await buy(zoo, 'meerkat', order)
    expect(answer.status).toBe(202)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    const { ticket, ...place } = await bodyOf(answer)
    expect(place).toEqual({ position: 1, waitMs: null })
    const location = `/attractions/meerkat/tickets/${ticket}`
    expect(answer.headers.get('location')).toBe(location)

    const done = await until('ticket', async () => {
      const status = await bodyOf(await fetch(zoo.url + location))
      return status.state === 'done' ? status : undefined
    })
    const sold = { ticket: 'M-0001', attraction: 'meerkat', visitor: 'bob', quantity: 2 }
    expect(done).toEqual({ state: 'done', result: sold })
    expect(await look(zoo, 'meerkat')).toMatchObject({ left: 20, queue: { waiting: 0, running: 0 } })
  })

  test('asks no more than is right of orders, tickets and methods', async () => {
    const ticket = await join()
    const tickets = `${zoo.url}/attractions/meerkat/tickets`
    const post = (body: string) => fetch(tickets, { method: 'POST', body })
    const statuses = [
      (await post('{"quantity":1}')).status,
      (await post('{"visitor":"bob","quantity":11}')).status,
      (await fetch(`${tickets}/${'A'.repeat(22)}`)).status,
      (await fetch(`${tickets}/`)).status,
      (await fetch(`${tickets}/%E0%A4`)).status,
      (await fetch(ticket, { method: 'HEAD' })).status,
    ]
    expect(statuses).toEqual([400, 400, 404, 404, 404, 200])
    const removed = await fetch(ticket, { method: 'DELETE' })
    expect([removed.status, removed.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('finishes what is being served when the zoo is closed', async () => {
    await join()
    zoo.program.signal('SIGTERM')
    expect(await zoo.program.ended()).toBe(0)
    expect(zoo.program.stderr).toBe('')
  })

  test('says of a ticket that it is being served; is full with twenty, and gives the next ones successive places', async () => {
    // Nobody is served meanwhile.
    const another = await startZoo('--framework', framework, '--supper', '600')
    const accepted = await buy(another, 'meerkat', order)
    const running = await fetch(another.url + accepted.headers.get('location'))
    expect(running.headers.get('retry-after')).toBe('1')
    expect(await running.json()).toEqual({ state: 'running', attempt: 1 })
    expect(await look(another, 'meerkat')).toMatchObject({ left: 19, queue: { waiting: 0, running: 1 } })

    const places = [(await bodyOf(accepted)).position]
    for (let i = 1; i < 20; i++) places.push((await bodyOf(await buy(another, 'meerkat', order))).position)
    expect(places).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
    const replies = [await buy(another, 'meerkat', order), await buy(another, 'meerkat', order)]
    expect(replies.map(({ status }) => status)).toEqual([429, 429])
    const [first = 0, second = 0] = replies.map(({ headers }) => Number(headers.get('retry-after')))
    expect(first).toBeGreaterThan(0)
    expect(second).toBeGreaterThan(first)
    expect(replies[0]?.headers.get('content-type')).toBe('application/problem+json')
    expect(await look(another, 'meerkat')).toMatchObject({ limit: 20, left: 0, queue: { waiting: 18 } })
  })
})
