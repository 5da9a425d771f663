import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { fromJson, toJson } from '../src/json.ts'

class Point {
  readonly x = 1
}

const leaf = fc.oneof(
  fc.integer(),
  fc.double({ noDefaultInfinity: false }).filter((value) => !Object.is(value, -0)),
  fc.string(),
  fc.boolean(),
  fc.bigInt(),
  fc.constantFrom(null, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN),
)
const { data } = fc.letrec((tie) => ({
  data: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('data'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('$', 'is', 'a', 'toJSON'), tie('data'), { noNullPrototype: true }),
    fc.array(fc.tuple(tie('data'), tie('data')), { maxLength: 3 }).map((entries) => new Map(entries)),
    fc.array(tie('data'), { maxLength: 3 }).map((values) => new Set(values)),
  ),
}))

describe('states as JSON', () => {
  it('come back as they were', () => {
    fc.assert(fc.property(data, (value) => expect(fromJson(toJson(value))).toEqual(value)))
    const gap = { list: [1, undefined, 2], missing: undefined }
    expect(fromJson(toJson(gap))).toEqual(gap)
  })

  it('are refused where they are no plain data, wherever that lies', () => {
    for (const value of [
      new Date(0),
      new Point(),
      () => 1,
      Symbol('a'),
      Buffer.from('a'),
      new Float64Array(1),
    ])
      expect(() => toJson([{ a: value }])).toThrow(TypeError)
    expect(() => toJson({ since: new Date(0) })).toThrow('a state holds an object (Date) at "since"')
  })
})
