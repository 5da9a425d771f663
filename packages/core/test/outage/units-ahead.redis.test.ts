import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as passing } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { bundled } from '@sluice/faults/bundle'
import { socket } from '@sluice/faults/redis-socket'
import { most } from './hot-policy.ts'

/** Checks a second of each process: three times as many as the policies allow. */
const rates = [1200, 800, 400, 300, 150, 100, 40, 10]

/** An admission: its unit was used at some instant from the question to the answer. */
interface Use {
  readonly fromUs: number
  readonly toUs: number
}

const hotUser = bundled(path.join(import.meta.dirname, 'hot-user.ts'))

/** One of eight processes that ask for the same key. */
class User {
  readonly #process: ChildProcess
  readonly #file: string

  constructor(program: string, rate: number, { name, file }: { name: string; file: string }) {
    this.#file = file
    this.#process = fork(program, [socket, name, String(rate), file])
  }

  async ready(): Promise<void> {
    const ended = once(this.#process, 'exit').then(() => {
      throw new Error('a process has ended at once')
    })
    await Promise.race([once(this.#process, 'message'), ended])
    ended.catch(() => {})
  }

  begin(): void {
    this.#process.send('begin')
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process.kill(signal)
  }

  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await ended
  }

  async end(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.send('end')
    expect(await ended).toEqual([0, null])
  }

  async uses(): Promise<readonly Use[]> {
    const bytes = await readFile(this.#file)
    const uses: Use[] = []
    // One that is killed may leave half an entry.
    for (let at = 0; at + 16 <= bytes.length; at += 16) {
      const [fromUs, toUs] = [bytes.readBigInt64LE(at), bytes.readBigInt64LE(at + 8)]
      uses.push({ fromUs: Number(fromUs) / 1000, toUs: Number(toUs) / 1000 })
    }
    return uses
  }
}

/** The most that were certainly used within one time of so many µs. */
function mostIn(us: number, uses: readonly Use[]): number {
  const byEnd = [...uses].sort((a, b) => a.toUs - b.toUs)
  let most = 0
  let begins: number[] = []
  for (const { fromUs, toUs } of byEnd) {
    begins = begins.filter((beginUs) => beginUs > toUs - us)
    if (fromUs > toUs - us) begins.push(fromUs)
    most = Math.max(most, begins.length)
  }
  return most
}

describe('eight uneven processes with units in hand, of which one is stopped for a while and two are killed,', () => {
  let folder: string
  let users: User[]

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-ahead-'))
    users = []
  })
  afterEach(async () => {
    await Promise.all(users.map((user) => user.kill()))
    await rm(folder, { recursive: true, force: true })
  })

  it('are never admitted more than a policy allows, and those that are left go on', async () => {
    const name = randomBytes(6).toString('hex')
    const program = await hotUser()
    users = rates.map((rate, i) => new User(program, rate, { name, file: path.join(folder, String(i)) }))
    await Promise.all(users.map((user) => user.ready()))
    for (const user of users) user.begin()
    await passing(1500)
    users[2]?.signal('SIGSTOP')
    await passing(400)
    users[2]?.signal('SIGCONT')
    await passing(600)
    // Both hold units: they are the busiest.
    await Promise.all([users[0]?.kill(), users[1]?.kill()])
    const killedUs = Number(process.hrtime.bigint()) / 1000
    await passing(2500)
    const left = users.slice(2)
    await Promise.all(left.map((user) => user.end()))

    const all = await Promise.all(users.map((user) => user.uses()))
    const uses = all.flat()
    for (const us of [10_000, 100_000, 300_000, 1_000_000, 2_000_000])
      expect({ us, above: Math.max(0, mostIn(us, uses) - most(us)) }).toEqual({ us, above: 0 })
    // There was more traffic than is allowed.
    const after = all.slice(2).map((each) => each.filter(({ fromUs }) => fromUs > killedUs).length)
    const sum = after.reduce((total, each) => total + each, 0)
    if (process.env.SLUICE_TRIAL_FIGURES)
      console.info({ uses: uses.length, after, mostIn: mostIn(1e6, uses) })
    for (const each of after) expect(each).toBeGreaterThan(0)
    expect(sum).toBeGreaterThan(1000)
  })
})
