import type { Charge, Check, Question } from '@sluice/core'
import type { KnownPolicies } from './policies.ts'

/** A script call as it arrives: all words are texts. */
export interface Words {
  readonly keys: readonly string[]
  readonly args: readonly string[]
}

/** A question in a call, and its deadline by the server's clock. */
export interface Asked {
  readonly question: Question
  readonly notAfterUs: number
  /** The limits of its checks' policies, in units. */
  readonly limits: readonly number[]
}

interface Mode {
  readonly take: boolean
  readonly charge: Charge
  readonly others: Question['others']
}

const modes: Readonly<Record<string, Mode>> = {
  look: { take: false, charge: 'all-or-nothing', others: undefined },
  all: { take: true, charge: 'all-or-nothing', others: undefined },
  some: { take: true, charge: 'all-or-nothing', others: undefined },
  none: { take: true, charge: 'all-or-nothing', others: 'refused' },
  every: { take: true, charge: 'every-level', others: undefined },
  each: { take: true, charge: 'every-level', others: 'unknown' },
}

function modeOf(word: string | undefined): Mode {
  const mode = modes[word ?? '']
  if (mode === undefined) throw new Error(`no mode: ${word}`)
  return mode
}

/** Whole numbers only. */
export function numberOf(word: string | undefined): number {
  if (word === undefined || !/^-?\d+$/.test(word)) throw new Error(`no whole number: ${word}`)
  return Number(word)
}

/** Makes a check of the words that a call has for it: cost, code, role, and those of its strategy. */
function checkOf(key: string, words: readonly string[], policies: KnownPolicies): Check {
  const [cost, code = '', role = '', ...args] = words
  const { policy, note } = policies.find(code, args, role)
  return {
    id: code,
    key,
    policy,
    cost: numberOf(cost),
    note,
    shadow: role.startsWith('s'),
    onStoreFailure: 'local',
  }
}

/** See decideOne.lua. */
export function readOneCall({ keys, args }: Words, policies: KnownPolicies): Asked {
  const [notAfterUs, mode, patience, ...words] = args
  const check = checkOf(keys[0] ?? '', words, policies)
  const question = { checks: [check], maxWaitUs: numberOf(patience), ...modeOf(mode) }
  return { question, notAfterUs: numberOf(notAfterUs), limits: [policies.unitsOf(check.policy)] }
}

/** How much longer each question has, in the order of the questions. */
function* longerMs(runs: string): Generator<number> {
  for (const run of runs.split(' ')) {
    if (run === '') continue
    const [count, ms] = run.split(':')
    for (let i = 0; i < numberOf(count); i++) yield numberOf(ms)
  }
}

/** See decide.lua. */
export function readBatch({ keys, args: sent }: Words, policies: KnownPolicies): readonly Asked[] {
  const args = [...sent]
  const [firstUs, later = '', runsAt, ownAt] = args
  let own = numberOf(ownAt) - 1
  const asked: Asked[] = []
  const longer = longerMs(later)
  let nth = 0
  for (let run = numberOf(runsAt) - 1; run < numberOf(ownAt) - 1; run += 2) {
    const at = numberOf(args[run]) - 1
    const [mode, count, width, patience, owns] = args.slice(at, at + 5)
    const places = at + 5 + numberOf(count) * numberOf(width)
    for (let i = 0; i < numberOf(args[run + 1]); i++) {
      // The arguments that differ from question to question are put where they belong.
      for (let place = places; place < places + numberOf(owns); place++)
        args[numberOf(args[place]) - 1] = args[own++] ?? ''
      const checks: Check[] = []
      for (let k = 0; k < numberOf(count); k++) {
        const from = at + 5 + k * numberOf(width)
        checks.push(checkOf(keys[nth++] ?? '', args.slice(from, from + numberOf(width)), policies))
      }
      const accepted = numberOf(patience)
      const accepts = mode === 'some' ? { maxWaitUs: 0, upTo: accepted } : { maxWaitUs: accepted }
      const question = { checks, ...accepts, ...modeOf(mode) }
      const notAfterUs = numberOf(firstUs)
      const ms = longer.next()
      asked.push({
        question,
        notAfterUs: notAfterUs === 0 ? 0 : notAfterUs + 1000 * (ms.value ?? 0),
        limits: checks.map(({ policy }) => policies.unitsOf(policy)),
      })
    }
  }
  return asked
}
