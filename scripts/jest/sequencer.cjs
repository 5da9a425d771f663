const { readFileSync } = require('node:fs')
const { default: Sequencer } = require('@jest/test-sequencer')

/** It calls a suite that is written elsewhere. */
const runsSuite = /^describe[A-Z]\w*\(/m
const ownTest = /^\s*(it|test)[.(]/m
/** It installs packages, or asks the server that all others of its kind ask too. */
const slowKind = /\.(packed|postgres)\.test\.ts$/

/** Whether a file, of itself, is short, and may take long. */
function isLongerThanItLooks(path) {
  const text = readFileSync(path, 'utf8')
  return slowKind.test(path) || runsSuite.test(text) || !ownTest.test(text)
}

/**
 * As jest does it, the slowest first. Where no run has been timed, as after cloning, it goes by size, and what is longer than it looks
 * counts as the largest: begun last, one such file would keep one core busy and leave the others idle.
 */
module.exports = class extends Sequencer {
  /** How long files took is kept for each project, although all of them have one `id`. */
  _getCachePath({ config }) {
    return super._getCachePath({ config: { ...config, id: config.displayName.name } })
  }

  sort(tests) {
    const sorted = super.sort(tests)
    const isFirst = ({ path, duration }) => duration === undefined && isLongerThanItLooks(path)
    return [...sorted.filter(isFirst), ...sorted.filter((test) => !isFirst(test))]
  }
}
