// What the test runners of other libraries report, as one list.
import { existsSync, readFileSync } from 'node:fs'

/** Each test by all its titles, whether it has passed, and else why not. Tests that were skipped are left out. */
export function resultsOf(file) {
  if (!existsSync(file)) return []
  const text = readFileSync(file, 'utf8')
  if (file.endsWith('.jsonl'))
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const report = JSON.parse(text)
  return report.testResults ? ofJest(report) : ofMocha(report)
}

function ofJest({ testResults }) {
  return testResults.flatMap(({ name: file, assertionResults, message }) => {
    if (assertionResults.length === 0) return [{ name: file, ok: false, why: firstLine(message) }]
    return assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ fullName, status, failureMessages }) => ({
        name: fullName,
        ok: status === 'passed',
        why: firstLine(failureMessages.join()),
      }))
  })
}

function ofMocha({ tests, pending }) {
  const skipped = new Set(pending.map(({ fullTitle }) => fullTitle))
  return tests
    .filter(({ fullTitle }) => !skipped.has(fullTitle))
    .map(({ fullTitle, err }) => ({ name: fullTitle, ok: !err.message, why: firstLine(err.message ?? '') }))
}

function firstLine(text) {
  return text.split('\n', 1)[0]
}
