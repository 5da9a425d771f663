import { fileURLToPath } from 'node:url'
import { isRegExp } from 'node:util/types'

/**
 * jest's `expect`, where an assertion that holds is seen at once. Jest itself makes two hundred functions and an error for each
 * `expect(…)`, which is most of what a property takes that asserts thousands of times. Every other matcher, and each assertion that
 * fails, is left to it.
 */
export function quickExpect(expect) {
  const { equals, utils } = toolsOf(expect)
  const state = expect.getState()
  const whole = [utils.iterableEquality]
  const partly = [utils.iterableEquality, utils.subsetEquality]
  const holds = {
    ...plain,
    toEqual: (actual, expected) => equals(actual, expected, whole),
    toMatchObject: (actual, expected) => (isObject(actual) ? equals(actual, expected, partly) : undefined),
  }

  const count = () => {
    state.assertionCalls++
  }
  class Expectation {
    constructor(actual) {
      this.actual = actual
    }

    get not() {
      return new Negation(this.actual)
    }
  }
  class Negation {
    constructor(actual) {
      this.actual = actual
    }
  }
  for (const [name, isSo] of Object.entries(holds)) {
    Expectation.prototype[name] = function assert(...expected) {
      if (isSo(this.actual, ...expected) === true) count()
      else expect(this.actual)[name](...expected)
    }
    Negation.prototype[name] = function refute(...expected) {
      if (isSo(this.actual, ...expected) === false) count()
      else expect(this.actual).not[name](...expected)
    }
  }
  const others = (matchersOf) => new Proxy({}, { get: (_, name, { actual }) => matchersOf(actual)[name] })
  Object.setPrototypeOf(Expectation.prototype, others(expect))
  Object.setPrototypeOf(
    Negation.prototype,
    others((actual) => expect(actual).not),
  )
  return Object.setPrototypeOf((actual) => new Expectation(actual), expect)
}

const isText = (value) => typeof value === 'string'
const areNumbers = (...values) => values.every((value) => typeof value === 'number')

/** Whether an assertion holds; undefined where jest has more to say of what it is given. */
const plain = {
  toBe: Object.is,
  toBeUndefined: (actual) => actual === undefined,
  toBeLessThan: (actual, bound) => (areNumbers(actual, bound) ? actual < bound : undefined),
  toBeLessThanOrEqual: (actual, bound) => (areNumbers(actual, bound) ? actual <= bound : undefined),
  toBeGreaterThan: (actual, bound) => (areNumbers(actual, bound) ? actual > bound : undefined),
  toBeGreaterThanOrEqual: (actual, bound) => (areNumbers(actual, bound) ? actual >= bound : undefined),
  toBeInstanceOf: (actual, kind) => (typeof kind === 'function' ? actual instanceof kind : undefined),
  toContain(actual, part) {
    if (Array.isArray(actual) || (isText(actual) && isText(part))) return actual.indexOf(part) !== -1
    return undefined
  },
  toMatch(actual, pattern) {
    if (!isText(actual)) return undefined
    if (isText(pattern)) return actual.includes(pattern)
    // Wherever an earlier use has left it.
    return isRegExp(pattern) ? actual.search(pattern) !== -1 : undefined
  },
}

function isObject(value) {
  return typeof value === 'object' && value !== null
}

/** What a matcher is given: made in the context of the test file, whose classes it knows. */
function toolsOf(expect) {
  let tools
  const toShowTools = function toShowTools() {
    tools = this
    return { pass: true }
  }
  expect.extend({ toShowTools })
  expect(undefined).toShowTools()
  return tools
}

/** Takes this file out of the stack of an error, and of what has caused it: jest shows the code of the first line. */
export function withoutQuick(error) {
  if (typeof error?.stack !== 'string') return
  error.stack = error.stack.split('\n').filter(isOutside).join('\n')
  withoutQuick(error.cause)
}

const thisFile = fileURLToPath(import.meta.url)
const isOutside = (line) => !line.includes(thisFile)
