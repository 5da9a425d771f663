import type { Handed, Member, Queue } from '@sluice/queue'

/** A minute: what is not renewed in a test is not taken by another either. */
const joining = { idleClaimMs: 60_000, maxAttempts: 3 }

export function join(
  { jobs }: Queue<unknown, unknown>,
  options: Partial<typeof joining> = {},
): Member<unknown, unknown> {
  return jobs.join({ ...joining, ...options })
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
export async function takeAll(
  member: Member<unknown, unknown>,
  count: number,
): Promise<readonly Handed<unknown>[]> {
  const { signal } = new AbortController()
  const taken: Handed<unknown>[] = []
  // A call may bring nothing for a second: what another member has left is looked for no more often.
  for (let calls = 0; taken.length < count; calls++) {
    if (calls > 10 + count) throw new Error(`took ${taken.length} of ${count}`)
    taken.push(...(await member.take(count - taken.length, signal)))
  }
  return taken
}

export async function takeOne(member: Member<unknown, unknown>): Promise<Handed<unknown>> {
  const [handed] = await takeAll(member, 1)
  if (handed === undefined) throw new Error('took nothing')
  return handed
}

export const done = (result: unknown) => ({ state: 'done', result, workMs: 10 }) as const
export const failed = (error: string) => ({ state: 'failed', error, workMs: 10 }) as const
export const again = (error: string) => ({ state: 'again', error, workMs: 10 }) as const

/** Takes and finishes so many, one after another. */
export async function work(member: Member<unknown, unknown>, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await member.finish(await takeOne(member), done(null))
}
