import { makeRow } from '../row.ts'
import type { Check, StoreRows } from '../store.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import { malformed, markedReceipt } from './reply.ts'

/** As much of the numbers of a strategy as its state has. */
interface Numbers {
  readonly intervalUs: number
  readonly windowUs: number
}

function bucketState(text: string): object {
  const [used, atUs, parts, flow] = text.split(':').map(Number)
  return { used, atUs, parts, back: 0, flow, mixed: undefined }
}

/** By strategy: the state that `admit` of its script has left, from its answer. What is no number there is NaN. */
const states: { readonly [strategy: string]: (text: string, numbers: Numbers) => object } = {
  fixedWindow: (text) => ({
    endUs: Number(text.slice(0, 16)),
    count: Number(text.slice(text[16] === ':' ? 17 : 16)),
    spanUs: undefined,
  }),
  gcra: (text, { intervalUs }) => ({
    tatUs: Number(text.slice(0, 16)),
    backUs: 0,
    intervalUs,
    mixed: undefined,
  }),
  leakyBucket: bucketState,
  slidingWindowCounter(text, { windowUs }) {
    const [nth, , count, previous] = text.split(':').map(Number)
    return { endUs: Number(nth) * windowUs, count, previous, windowUs, held: undefined }
  },
  tokenBucket: bucketState,
}

/** Whether the state that `admit` of a strategy leaves can be read: others answer as decideOne.lua does. */
export function readsStateOf(strategy: string): boolean {
  return Object.hasOwn(states, strategy)
}

/** An instant as TIME answers it, and a state. */
const admitted = /^(\d{1,12})\.(\d{1,6}) (\d[\d:u]*)$/

/** What admit.lua answers once one unit was taken: what remains the strategy says of the state, as it does in memory. */
export function readAdmitted(
  { policy }: Check,
  reply: string,
): { readonly serverUs: number; readonly outcomes: readonly StoreRows[] } {
  const { definition, numbers, units } = partsOf(policy)
  const said = admitted.exec(reply)
  const text = said?.[3]
  const state = text === undefined ? undefined : states[definition.name]?.(text, numbers as Numbers) // as its own strategy reads them
  if (state === undefined) throw malformed()
  const serverUs = Number(said?.[1]) * 1e6 + Number(said?.[2])
  const left = definition.look(numbers, state, serverUs, 0)
  if (!(left.remaining >= 0 && left.resetAfterUs > 0)) throw malformed()
  const receipt = markedReceipt(definition.receipt?.(state, left), policy, serverUs)
  const { remaining, resetAfterUs } = left
  const row = makeRow({ limit: units, remaining, retryAfterUs: 0, resetAfterUs }, null, receipt)
  return { serverUs, outcomes: [[row]] }
}
