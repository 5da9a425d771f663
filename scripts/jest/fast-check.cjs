// Stands for `fast-check` in tests: all properties have one seed, so that a failure comes back. A failed property prints it.
const fc = require('../../node_modules/fast-check/lib/cjs/fast-check.js')

fc.configureGlobal({ seed: Number(process.env.SLUICE_TEST_SEED ?? 20_261_121) })

/** With one seed the runs are always the same: `npm test` plays the first of many, the trials all. */
const all = process.env.SLUICE_TEST_HISTORIES === 'all'
const playedAlways = 100

function assert(property, { numRuns = playedAlways, ...parameters } = {}) {
  const played = all ? numRuns : Math.min(numRuns, Math.ceil(playedAlways + numRuns / 10))
  return fc.assert(property, { numRuns: played, ...parameters })
}

const ours = { ...fc, assert, __esModule: true }
module.exports = Object.assign(ours, { default: ours })
