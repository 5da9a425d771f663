const { readFileSync } = require('node:fs')
const { default: Sequencer } = require('@jest/test-sequencer')

/** It calls a suite that is written elsewhere: of itself it is short, and takes long. */
const runsSuite = /^describe(Adapter|SameRows|Store)\(/m

/** As jest does it, the slowest first. Where no run has been timed, it goes by size: what runs a whole suite counts as the largest. */
module.exports = class extends Sequencer {
  /** How long files took is kept for each project, although all of them have one `id`. */
  _getCachePath({ config }) {
    return super._getCachePath({ config: { ...config, id: config.displayName.name } })
  }

  sort(tests) {
    const sorted = super.sort(tests)
    const isFirst = ({ path, duration }) =>
      duration === undefined && runsSuite.test(readFileSync(path, 'utf8'))
    return [...sorted.filter(isFirst), ...sorted.filter((test) => !isFirst(test))]
  }
}
