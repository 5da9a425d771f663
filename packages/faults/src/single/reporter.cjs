const { writeFileSync } = require('node:fs')

/** Writes what has failed, after each file: jest ends at the first that does, before it has written a report of its own. */
module.exports = class Reporter {
  #outcome = { failed: [], broken: [] }

  onTestFileResult(_test, { testResults, testExecError }) {
    const { failed, broken } = this.#outcome
    if (testExecError) broken.push(testExecError.message)
    for (const { status, fullName } of testResults) if (status === 'failed') failed.push(fullName)
    this.onRunComplete()
  }

  onRunComplete() {
    writeFileSync(process.env.FAULT_OUTCOME, JSON.stringify(this.#outcome))
  }
}
