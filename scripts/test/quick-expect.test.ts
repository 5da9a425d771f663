import path from 'node:path'
import { expect, it } from '@jest/globals'
import { ended, scripts } from './small-project.ts'

it.each([
  ['0, and -0', () => expect(0).toBe(-0)],
  ['an object, and one like it', () => expect({}).toBe({})],
  ['other elements', () => expect({ a: [1] }).toEqual({ a: [2] })],
  ['other errors', () => expect(new Error('one')).toEqual(new Error('two'))],
  ['other maps', () => expect(new Map([[1, 1]])).toEqual(new Map([[1, 2]]))],
  ['another part', () => expect({ a: 1, b: { c: 1 } }).toMatchObject({ b: { c: 2 } })],
  ['a part of a text', () => expect('text').toMatchObject(Object('text'))],
  ['a part of nothing', () => expect(null).toMatchObject(Object(null))],
])('fails: %s', (_what, assert) => {
  expect(assert).toThrow('expect(received)')
})

it('what holds is counted', () => {
  expect.assertions(5)
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
