import Environment from './environment.mjs'

/**
 * Node, where `notJudged(test, reason)` skips a test that has not begun yet, and leaves the reason behind its name. A test is
 * called by the titles around it and its own, with a blank between them.
 */
export default class JudgingEnvironment extends Environment {
  #reasons = new Map()

  async setup() {
    await super.setup()
    this.global.notJudged = (test, reason) => this.#reasons.set(test, reason)
  }

  handleTestEvent(event) {
    super.handleTestEvent(event)
    const { name, test } = event
    const reason = name === 'test_start' ? this.#reasons.get(nameOf(test)) : undefined
    if (reason === undefined) return
    test.mode = 'skip'
    test.name = `${test.name} (not judged: ${reason})`
  }
}

function nameOf({ name, parent }) {
  // The outermost is jest's own.
  return parent?.parent ? `${nameOf(parent)} ${name}` : name
}
