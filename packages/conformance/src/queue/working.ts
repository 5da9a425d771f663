import type { Handed, Member, Outcome, Queue } from '@sluice/queue'

/** A minute: what is not renewed in a test is not taken by another either. */
const joining = { idleClaimMs: 60_000, maxAttempts: 3 }

type Worker = Member<unknown, unknown>

const joined = new WeakMap<object, Worker[]>()

export function join(queue: Queue<unknown, unknown>, options: Partial<typeof joining> = {}): Worker {
  const member = queue.jobs.join({ ...joining, ...options })
  joined.set(queue, [...(joined.get(queue) ?? []), member])
  return member
}

/** Whoever has joined may hold a connection of its own. */
export async function leaveAll(queue: Queue<unknown, unknown>): Promise<void> {
  for (const member of joined.get(queue) ?? []) await member.leave({ unstarted: [], running: [] })
}

/** Accepted, all of them: their tickets. */
export async function fill(
  queue: Queue<unknown, unknown>,
  jobs: readonly unknown[],
): Promise<readonly string[]> {
  const tickets: string[] = []
  for (const job of jobs) {
    const offer = await queue.offer(job)
    if (!offer.allowed) throw new Error(`refused as ${offer.reason}`)
    tickets.push(offer.ticket)
  }
  return tickets
}

/** So many entries, however many calls that takes. */
export async function takeAll(member: Worker, count: number): Promise<readonly Handed<unknown>[]> {
  const { signal } = new AbortController()
  const taken: Handed<unknown>[] = []
  // A call may bring nothing for a second: what another member has left is looked for no more often.
  for (let calls = 0; taken.length < count; calls++) {
    if (calls > 10 + count) throw new Error(`took ${taken.length} of ${count}`)
    taken.push(...(await member.take(count - taken.length, signal)))
  }
  return taken
}

export async function takeOne(member: Worker): Promise<Handed<unknown>> {
  const [handed] = await takeAll(member, 1)
  if (handed === undefined) throw new Error('took nothing')
  return handed
}

export function done(result: unknown): Outcome<unknown> {
  return { state: 'done', result, workMs: 10 }
}

export function failed(error: string): Outcome<never> {
  return { state: 'failed', error, workMs: 10 }
}

export function again(error: string): Outcome<never> {
  return { state: 'again', error, workMs: 10 }
}

/** Takes and finishes so many, one after another. */
export async function work(member: Worker, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await member.finish(await takeOne(member), done(null))
}
