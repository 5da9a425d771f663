const { renameSync, writeFileSync, writeSync } = require('node:fs')
const path = require('node:path')
const { stripVTControlCharacters } = require('node:util')
const { nothing, verdict } = require('./verdict.cjs')

const openAfterMs = 5000
const longestReason = 300

/** What scripts/jest/judging.mjs writes behind the name of a test that it skips. */
const notJudged = / \(not judged: (.*)\)$/

/**
 * Counts the tests: into the file that `npm test` names, or as a last line where jest was started by hand. It counts while they
 * run, so that a run that is killed, or ended by a test, leaves its counts.
 */
module.exports = class ClosingLine {
  #file = process.env.SLUICE_TEST_COUNTS
  #watches
  #counts = nothing

  constructor({ watch, watchAll }) {
    this.#watches = watch || watchAll
    if (!this.#file) process.once('exit', (code) => this.#close(code))
  }

  onRunStart() {
    this.#counts = { ...nothing, reported: true, running: [], ranIn: {}, notPassed: [] }
    this.#write()
  }

  onTestFileStart({ path: file }) {
    this.#counts.running.push(path.relative(process.cwd(), file))
    this.#write()
  }

  onTestFileResult({ path: absolute, context }, result, results) {
    const { testResults, testExecError, numPassingTests, numFailingTests } = result
    const { running, ranIn, notPassed } = this.#counts
    const { name } = context.config.displayName ?? { name: '' }
    const file = path.relative(process.cwd(), absolute)
    running.splice(running.indexOf(file), 1)
    ranIn[name] = (ranIn[name] ?? 0) + numPassingTests + numFailingTests
    if (testExecError) notPassed.push(`failed: ${file}${because(testExecError.message)}`)
    notPassed.push(...testResults.flatMap((test) => asNotPassed(test, file)))
    this.#count(results)
    this.#write()
  }

  onRunComplete(_, results) {
    this.#count(results)
    this.#counts.over = true
    this.#write()
    if (!this.#watches) setTimeout(sayWhatIsOpen, openAfterMs).unref()
  }

  #count({ numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    this.#counts.passed = numPassedTests
    // A file that throws while it is loaded has no failed test.
    this.#counts.failed = numFailedTests + numRuntimeErrorTestSuites
  }

  #write() {
    if (!this.#file) return
    // In watch mode, nothing should wait for the end of the run.
    const mayLinger = this.#watches
    writeFileSync(`${this.#file}.new`, JSON.stringify({ ...this.#counts, mayLinger }))
    renameSync(`${this.#file}.new`, this.#file)
  }

  #close(code) {
    const { passed, failed, wrong } = verdict(this.#counts, { code })
    // A test may have printed an unfinished line.
    const lines = ['', ...this.#counts.notPassed, ...wrong, `${passed} passed, ${failed} failed`]
    writeSync(1, `${lines.join('\n')}\n`)
    if (failed > 0) process.exitCode = code || 1
  }
}

/** What keeps jest from ending. */
function sayWhatIsOpen() {
  const kinds = process.getActiveResourcesInfo().join(', ')
  if (kinds !== '') console.log(`still open ${openAfterMs / 1000} s after the last test: ${kinds}`)
}

/** What an error says, on the same line, without colours and without where it was thrown. */
function because(said = '') {
  const words = stripVTControlCharacters(said)
    .replace(/\n\s+at .*/s, '')
    .replace(/\s+/g, ' ')
    .trim()
  if (words === '') return ''
  return `: ${words.length > longestReason ? `${words.slice(0, longestReason)}…` : words}`
}

/** A line about a test that has failed, or was not judged. */
function asNotPassed({ ancestorTitles, title, status, failureMessages }, file) {
  if (status === 'failed')
    return [`failed: ${file}: ${[...ancestorTitles, title].join(' › ')}${because(failureMessages[0])}`]
  const [marked, reason] = (status === 'pending' && notJudged.exec(title)) || []
  if (marked === undefined) return []
  return [`not judged: ${[...ancestorTitles, title.slice(0, -marked.length)].join(' › ')}: ${reason}`]
}
