import { fileURLToPath } from 'node:url'

/**
 * jest's `expect`, where an equality that holds is seen at once. Jest itself makes two hundred functions and an error for each
 * `expect(…)`, which is most of what a property takes that asserts thousands of times. Every other matcher, and each assertion that
 * fails, is left to it.
 */
export function quickExpect(expect) {
  const { equals, utils } = toolsOf(expect)
  const state = expect.getState()
  const whole = [utils.iterableEquality]
  const partly = [utils.iterableEquality, utils.subsetEquality]

  class Expectation {
    constructor(actual) {
      this.actual = actual
    }

    toBe(expected) {
      this.#assert('toBe', expected, Object.is(this.actual, expected))
    }

    toEqual(expected) {
      this.#assert('toEqual', expected, equals(this.actual, expected, whole))
    }

    toMatchObject(expected) {
      this.#assert('toMatchObject', expected, isObject(this.actual) && equals(this.actual, expected, partly))
    }

    #assert(matcher, expected, holds) {
      if (holds) state.assertionCalls++
      else expect(this.actual)[matcher](expected)
    }
  }
  const others = { get: (_, name, { actual }) => expect(actual)[name] }
  Object.setPrototypeOf(Expectation.prototype, new Proxy({}, others))
  return Object.setPrototypeOf((actual) => new Expectation(actual), expect)
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
