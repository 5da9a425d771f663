import type { Transact } from '@sluice/state'
import { expect } from '../runner.ts'
import { freshKey } from './asking.ts'

/** One test of a `transact` by itself, on the database's own clock. */
interface TransactCase {
  readonly title: string
  run(transact: Transact): Promise<void>
}

const hourMs = 3_600_000

function read(transact: Transact, keys: readonly string[]): Promise<readonly (string | null)[]> {
  return transact(keys, (states) => ({ result: [...states], writes: [] }))
}

function write(transact: Transact, states: Readonly<Record<string, string | null>>): Promise<void> {
  const writes = Object.entries(states).map(([key, state]) => ({ key, state, ttlMs: hourMs }))
  return transact(Object.keys(states).sort(), () => ({ result: undefined, writes }))
}

async function returnsWhatWasWritten(transact: Transact): Promise<void> {
  const texts = ['[]', `["'", "\\\\", "\\"", "$1", "%s", "é 🦓 \\u0000"]`, `["${'long '.repeat(50_000)}"]`]
  const keys = texts.map((_, i) => `${freshKey()}:it's "$1" \\ % {${i}} é`).sort()
  const states = Object.fromEntries(keys.map((key, i) => [key, texts[i] ?? null]))
  const absent = `${freshKey()} is absent`
  expect(await read(transact, [absent, ...keys])).toEqual([null, null, null, null])
  await write(transact, states)
  const order = [...keys.slice(1), absent, ...keys.slice(0, 1)]
  expect(await read(transact, order)).toEqual(order.map((key) => states[key] ?? null))
}

async function replacesAndForgets(transact: Transact): Promise<void> {
  const [kept, gone] = [freshKey(), freshKey()]
  await write(transact, { [kept]: '[1]', [gone]: '[1]' })
  await write(transact, { [kept]: '[2]', [gone]: null })
  expect(await read(transact, [kept, gone])).toEqual(['[2]', null])
  await write(transact, { [gone]: '[3]' })
  expect(await read(transact, [kept, gone])).toEqual(['[2]', '[3]'])
}

async function undoesWhatThrows(transact: Transact): Promise<void> {
  const key = freshKey()
  await write(transact, { [key]: '[1]' })
  const fault = new Error('change has failed')
  const fail = () => {
    throw fault
  }
  await expect(transact([key], fail)).rejects.toBe(fault)
  expect(await read(transact, [key])).toEqual(['[1]'])
  await write(transact, { [key]: '[2]' })
  expect(await read(transact, [key])).toEqual(['[2]'])
}

async function givesTheTime(transact: Transact): Promise<void> {
  const times: number[] = []
  for (let i = 0; i < 5; i++)
    times.push(await transact([], (_states, nowUs) => ({ result: nowUs, writes: [] })))
  expect(times.filter((us) => !Number.isSafeInteger(us))).toEqual([])
  // Microseconds since 1970: milliseconds or seconds would be of another century.
  expect(new Date((times[0] ?? 0) / 1000).getUTCFullYear()).toBeGreaterThanOrEqual(2020)
  expect(new Date((times[0] ?? 0) / 1000).getUTCFullYear()).toBeLessThan(2200)
}

interface Tally {
  readonly count: number
  readonly atUs: number
}

/** Adds one to each key, none of which may be missed, and notes the time. Says what was found wrong. */
function addOne(transact: Transact, keys: readonly string[]): Promise<string | undefined> {
  return transact(keys, (states, nowUs) => {
    const tallies = states.map((state): Tally => (state === null ? { count: 0, atUs: 0 } : JSON.parse(state)))
    const latestUs = Math.max(...tallies.map(({ atUs }) => atUs))
    const result =
      nowUs < latestUs
        ? `the time went back from ${latestUs} to ${nowUs}`
        : new Set(tallies.map(({ count }) => count)).size > 1
          ? `half of a transaction is seen: ${states.join(' ')}`
          : undefined
    const writes = tallies.map(({ count }, i) => ({
      key: keys[i] ?? '',
      state: JSON.stringify({ count: count + 1, atUs: nowUs }),
      ttlMs: hourMs,
    }))
    return { result, writes }
  })
}

async function losesNothing(transact: Transact): Promise<void> {
  for (let round = 0; round < 3; round++) {
    const keys = [freshKey(), freshKey(), freshKey()].sort()
    const calls = Array.from({ length: 40 }, () => addOne(transact, keys))
    expect((await Promise.all(calls)).filter((wrong) => wrong !== undefined)).toEqual([])
    const states = await read(transact, keys)
    expect(states.map((state) => JSON.parse(state ?? '{}').count)).toEqual([40, 40, 40])
  }
}

export const transactCases: readonly TransactCase[] = [
  { title: 'reads what was written, byte for byte, in the order of the keys', run: returnsWhatWasWritten },
  { title: 'replaces states and forgets them', run: replacesAndForgets },
  { title: 'writes nothing where `change` throws, and rejects with that', run: undoesWhatThrows },
  { title: 'gives the time in whole microseconds, also without keys', run: givesTheTime },
  {
    title:
      'lets one change of a key come after another, also where the keys are new, and time go on with them',
    run: losesNothing,
  },
]
