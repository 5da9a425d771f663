import path from 'node:path'
import { expect, it } from '@jest/globals'
import { ended, scripts } from './small-project.ts'

/** It begins its next search behind the end. */
const used = /te/g
used.lastIndex = 4

it.each([
  ['0, and -0', () => expect(0).toBe(-0)],
  ['an object, and one like it', () => expect({}).toBe({})],
  ['other elements', () => expect({ a: [1] }).toEqual({ a: [2] })],
  ['other errors', () => expect(new Error('one')).toEqual(new Error('two'))],
  ['other maps', () => expect(new Map([[1, 1]])).toEqual(new Map([[1, 2]]))],
  ['another part', () => expect({ a: 1, b: { c: 1 } }).toMatchObject({ b: { c: 2 } })],
  ['a part of a text', () => expect('text').toMatchObject(Object('text'))],
  ['a part of nothing', () => expect(null).toMatchObject(Object(null))],
  ['something, and nothing', () => expect(null).toBeUndefined()],
  ['as much, and less', () => expect(1).toBeLessThan(1)],
  ['more, and at most as much', () => expect(2).toBeLessThanOrEqual(1)],
  ['as much, and more', () => expect(1).toBeGreaterThan(1)],
  ['less, and at least as much', () => expect(0).toBeGreaterThanOrEqual(1)],
  ['no number, and a number', () => expect(Number.NaN).toBeLessThan(1)],
  ['a text, and a number', () => expect(Object('1')).toBeLessThanOrEqual(1)],
  ['another class', () => expect(new Map()).toBeInstanceOf(Set)],
  ['no class', () => expect({}).toBeInstanceOf(Object('Map'))],
  ['an element that is not there', () => expect(['a']).toContain('b')],
  ['an element that only looks alike', () => expect([{}]).toContain({})],
  ['an element that is no number', () => expect([Number.NaN]).toContain(Number.NaN)],
  ['a part that is not there', () => expect('text').toContain('b')],
  ['a part that is no text', () => expect('1').toContain(Object(1))],
  ['a pattern', () => expect('text').toMatch(/^ex/)],
  ['a text in a text', () => expect('text').toMatch('b')],
  ['a pattern in what is no text', () => expect(Object(1)).toMatch(/1/)],
  ['the same, and another', () => expect(1).not.toBe(1)],
  ['what is equal, and another', () => expect({ a: [1] }).not.toEqual({ a: [1] })],
  ['a part, and none', () => expect({ a: 1, b: 2 }).not.toMatchObject({ b: 2 })],
  ['a part, and none, of a text', () => expect('text').not.toMatchObject(Object('text'))],
  ['an element that is there', () => expect(['a']).not.toContain('a')],
  ['a pattern that is there', () => expect('text').not.toMatch(used)],
  ['a pattern that is not in what is no text', () => expect(Object(1)).not.toMatch(/2/)],
  ['nothing, and something', () => expect(undefined).not.toBeUndefined()],
])('fails: %s', (_what, assert) => {
  expect(assert).toThrow('expect(')
})

it('suites that take the global have the same', () => expect(Reflect.get(globalThis, 'expect')).toBe(expect))

it('what holds is counted', () => {
  expect.assertions(18)
  expect(undefined).toBeUndefined()
  expect(1).toBeLessThan(2)
  expect(1n).toBeLessThan(2)
  expect(1).toBeLessThanOrEqual(1)
  expect(2).toBeGreaterThan(1)
  expect(1).toBeGreaterThanOrEqual(1)
  expect(new Map()).toBeInstanceOf(Map)
  expect(new Set(['a'])).toContain('a')
  expect('text').toMatch(used)
  expect('text').toMatch('ex')
  expect('text').not.toMatch(/^ex/)
  expect({ a: 1 }).not.toEqual({ a: 2 })
  expect({ a: 1 }).not.toHaveProperty('b')
  expect(Number.NaN).toBe(Number.NaN)
  expect({ a: undefined, b: 1 }).toEqual({ b: expect.any(Number) })
  expect({ a: 1, b: new Map([[1, 2]]) }).toMatchObject({ b: new Map([[1, 2]]) })
  expect(1).not.toBe(2)
  expect('text').toContain('ex')
})

it('a failure is shown at the line of the test, and so is what has caused another', async () => {
  const program = `
    import { quickExpect, withoutQuick } from ${JSON.stringify(path.join(scripts, 'jest/quick-expect.mjs'))}
    const jests = () => ({
      toShowTools: () => matchers.toShowTools.call({ utils: {} }),
      toBe: () => { throw new Error('differs') },
    })
    let matchers
    const expect = quickExpect(Object.assign(jests, { extend: (added) => { matchers = added }, getState: () => ({}) }))
    try { expect(1).toBe(2) } catch (cause) {
      const error = new Error('found', { cause })
      const before = cause.stack
      withoutQuick(error)
      console.log(JSON.stringify([before, cause.stack].map((stack) => stack.includes('quick-expect'))))
    }`
  const { stdout } = await ended(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: scripts,
  })
  expect(JSON.parse(stdout)).toEqual([true, false])
})
