import { playQuestions, questionTraces } from './question-traces.ts'
import { type Comparison, compare } from './same-rows.ts'
import { anySample } from './samples/list.ts'

/** A window or a slot of time that begins with a request goes on, empty, when that is given back: it ends earlier than another. */
const begun = ['attributedWindow', 'fairShare', 'fixedWindow', 'multiWindow']
const comparable = anySample.filter(({ policy }) => !begun.includes(policy.strategy))

/**
 * Whatever several policies in several slots are asked at once. Without refunds: they give back no more than what surely is their
 * own, which is less once something else has been given back.
 */
export const acrossSlots: readonly Comparison[] = [
  compare('several policies', questionTraces(comparable, { refunds: false }), playQuestions),
]
