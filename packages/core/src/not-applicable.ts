/** The type of `notApplicable`: by meaning, so that those of two copies of this package are one type. */
export type NotApplicable = symbol & { readonly description: 'sluice.notApplicable' }

/**
 * Says that a policy does not apply: as one of a record of keys, as the answer of a middleware's `key`, where then nothing is
 * counted, and as the answer of a `policy` function. No JSON, form or query that a client sends becomes it, as `null` might.
 *
 * @example
 * await limiter.check({ visitor: 'bob', attraction: notApplicable })
 * rateLimit({ policy: (req) => (req.user?.plan === 'staff' ? notApplicable : free) })
 */
export const notApplicable: NotApplicable = Symbol.for('sluice.notApplicable') as NotApplicable // its description is its name

export function isNotApplicable(value: unknown): value is NotApplicable {
  return value === notApplicable
}
