/** The Redis half of one of Sluice's own strategies. */
interface InRedis<Numbers, State> {
  encode(numbers: Numbers): readonly number[]
  readonly lua: ''
  readonly admitted: ((text: string, numbers: Numbers) => State) | undefined
}

/**
 * `redis/` has its script by the strategy's name, so that a program without Redis has none of them. `admitted` is needed where the
 * script has an `admit`.
 */
/* @__NO_SIDE_EFFECTS__ */
export function inRedis<Numbers, State = never>(
  encode: (numbers: Numbers) => readonly number[],
  admitted?: (text: string, numbers: Numbers) => State,
): InRedis<Numbers, State> {
  return { encode, lua: '', admitted }
}
