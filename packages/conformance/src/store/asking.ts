import type {
  Change,
  Check,
  Command,
  KeySnapshot,
  Policy,
  Question,
  Store,
  StoreRow,
  StoreRows,
} from '@sluice/core'
import { partsOf } from '@sluice/core/internal'
import type { StoreUnderTest } from './under-test.ts'

const mark = crypto.randomUUID().slice(0, 8)
let keys = 0

/** A key that no other case has. */
export function freshKey(): string {
  return `${mark}.${keys++}`
}

/** A check as a limiter makes it. Checks of one strategy and key speak of one state, whatever their numbers; reservable windows have another. */
export function checkOf(policy: Policy, key: string, more: Partial<Check> = {}): Check {
  const id = `suite:policy:${partsOf(policy).definition.code}`
  return { id, policy, key, cost: 1, note: undefined, shadow: false, onStoreFailure: 'local', ...more }
}

/** Asks one question. */
export async function ask(
  store: Store,
  checks: readonly Check[],
  { charge = 'all-or-nothing', take = true, maxWaitUs = 0, upTo }: Partial<Omit<Question, 'checks'>> = {},
): Promise<readonly StoreRow[]> {
  const rows = await store.answer({ checks, charge, maxWaitUs, take, upTo })
  if (rows === undefined || rows.length !== checks.length)
    throw new Error('a question wants a row for each check')
  return rows
}

/** Many questions, at once where the store decides those in their order, else one after another. */
export async function askAll(
  { store, keepsOrder = false }: StoreUnderTest,
  questions: readonly Question[],
): Promise<readonly StoreRows[]> {
  if (keepsOrder) return Promise.all(questions.map(async (question) => store.answer(question)))
  const answers: StoreRows[] = []
  for (const question of questions) answers.push(await store.answer(question))
  return answers
}

/** Asks about one check. */
export async function askOne(
  store: Store,
  check: Check,
  about: Partial<Omit<Question, 'checks'>> = {},
): Promise<StoreRow> {
  const [row] = await ask(store, [check], about)
  if (row === undefined) throw new Error('a check wants a row')
  return row
}

/** What two stores must agree on: everything but the receipt's own text. */
export function factsOf({
  receipt,
  taken: units,
  ...facts
}: StoreRow): Omit<StoreRow, 'receipt' | 'taken'> & { readonly taken: boolean; readonly units?: number } {
  return { ...facts, taken: receipt !== '', ...(units !== undefined && { units }) }
}

export async function change(store: Store, changes: readonly Change[]): Promise<void> {
  await store.adjust(changes)
}

export async function manage(
  store: Store,
  op: Exclude<Command['op'], 'inspect'>,
  check: Check,
  more: Partial<Command> = {},
): Promise<void> {
  await store.manage({ op, check, ...more })
}

export async function inspect(store: Store, check: Check): Promise<KeySnapshot> {
  return (await store.manage({ op: 'inspect', check })) as KeySnapshot // what every store answers to inspect
}
