import type { Change, Check, Command, HeldLease, InLine } from '@sluice/core'
import { numberOf, type Words } from './calls.ts'
import type { KnownPolicies } from './policies.ts'

/** A change, and what tells whether its receipt is of the count that the key has now. */
export interface Correction {
  readonly change: Change
  /** The instant of the charge, where it matters. */
  readonly era: string
  readonly own: string
  /** The key that holds since when this one is counted anew. */
  readonly anewKey: string | undefined
}

/** Words of a call, one after another. */
class Reading {
  readonly #words: readonly string[]
  #at = 0

  constructor(words: readonly string[]) {
    this.#words = words
  }

  get isOver(): boolean {
    return this.#at >= this.#words.length
  }

  text(): string {
    const word = this.#words[this.#at++]
    if (word === undefined) throw new Error('a call ends too early')
    return word
  }

  number(): number {
    return numberOf(this.text())
  }

  texts(count: number): readonly string[] {
    this.#at += count
    return this.#words.slice(this.#at - count, this.#at)
  }
}

function checkFor(key: string, cost: number, { code, args, policies }: Meant): Check {
  const { policy, note } = policies.find(code, args, undefined)
  return {
    id: code,
    key,
    policy,
    cost,
    note,
    shadow: false,
    onStoreFailure: 'local',
  }
}

interface Meant {
  readonly code: string
  readonly args: readonly string[]
  readonly policies: KnownPolicies
}

/** See adjust.lua. */
export function readAdjust({ keys, args }: Words, policies: KnownPolicies): readonly Correction[] {
  const words = new Reading(args)
  const corrections: Correction[] = []
  while (!words.isOver) {
    const key = keys[corrections.length] ?? ''
    const operation = words.text()
    const amount = words.number()
    const cost = words.number()
    const [own, era] = [words.text(), words.text()]
    const place = words.number()
    const code = words.text()
    const check = checkFor(key, cost, { code, args: words.texts(words.number()), policies })
    const anewKey = place === 0 ? undefined : keys[place - 1]
    corrections.push({ change: changeOf(operation, { check, amount, own }), era, own, anewKey })
  }
  return corrections
}

function changeOf(
  operation: string,
  { check, amount, own }: { check: Check; amount: number; own: string },
): Change {
  switch (operation) {
    case 'give':
      return { check, receipt: own === '' ? null : own, byUnits: -amount }
    case 'reward':
      return { check, receipt: null, byUnits: -amount, reward: true }
    case 'charge':
      return { check, receipt: own === '' ? null : own, byUnits: amount }
    case 'raise':
      return { check, receipt: null, byUnits: 0, atLeastUs: amount }
    default:
      throw new Error(`no correction: ${operation}`)
  }
}

/** See renew.lua. */
export function readRenew({ keys, args }: Words, policies: KnownPolicies): readonly HeldLease[] {
  const words = new Reading(args)
  return keys.map((key) => {
    const cost = words.number()
    const receipt = words.text()
    const code = words.text()
    return { check: checkFor(key, cost, { code, args: words.texts(words.number()), policies }), receipt }
  })
}

/** See line.lua: the callers of each line. */
export function readLine(
  { keys, args }: Words,
  policies: KnownPolicies,
  nowUs: number = 0,
): readonly (readonly InLine[])[] {
  const words = new Reading(args)
  const notAfterUs = words.number()
  const isLate = notAfterUs > 0 && nowUs > notAfterUs
  return keys.map((key) => {
    const code = words.text()
    const count = words.number()
    const meant = { code, args: words.texts(words.number()), policies }
    const callers: InLine[] = []
    for (let i = 0; i < count; i++) {
      const id = words.text()
      const check = checkFor(key, words.number(), meant)
      const priority = words.number()
      const waited = words.number()
      callers.push({ check, id, priority, ...waitOf(isLate && waited >= 0 ? -2 - waited : waited) })
    }
    return callers
  })
}

function waitOf(waited: number): Pick<InLine, 'waitedUs' | 'leaves' | 'stands'> {
  if (waited === -1) return { waitedUs: 0, leaves: true }
  return waited < 0
    ? { waitedUs: -2 - waited, leaves: false, stands: true }
    : { waitedUs: waited, leaves: false }
}

const operations = ['block', 'unblock', 'reset', 'set', 'inspect'] as const

/** See manage.lua. */
export function readManage(
  { keys, args }: Words,
  policies: KnownPolicies,
): { readonly command: Command; readonly anewKey: string | undefined } {
  const words = new Reading(args)
  const said = words.text()
  const op = operations.find((each) => each === said)
  if (op === undefined) throw new Error(`nothing to manage: ${said}`)
  const amount = words.number()
  const later = words.text() === 'later'
  const code = words.text()
  const check = checkFor(keys[0] ?? '', 1, { code, args: words.texts(words.number()), policies })
  const command: Command = {
    op,
    check,
    ...(op === 'block' && { us: amount, later }),
    ...(op === 'set' && { units: amount }),
  }
  const last = keys.at(-1)
  return { command, anewKey: last?.includes('}%r:') ? last : undefined }
}
