/**
 * The Redis half of one of Sluice's own strategies. `redis/` has its script by the strategy's name, so that a program without Redis
 * has none of them.
 */
/* @__NO_SIDE_EFFECTS__ */
export function inRedis<Numbers>(encode: (numbers: Numbers) => readonly number[]): {
  encode(numbers: Numbers): readonly number[]
  readonly lua: ''
} {
  return { encode, lua: '' }
}
