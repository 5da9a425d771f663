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

/**
 * Its unit `binary`, by arithmetic: fast-check's own writes a table of all 1.1 million characters when the first such text is declared,
 * a second in each test file.
 */
const surrogatesFrom = 0xd800
const numSurrogates = 0x800
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff - numSurrogates }).map(
  (nth) => String.fromCodePoint(nth < surrogatesFrom ? nth : nth + numSurrogates),
  (text) => {
    const code = typeof text === 'string' ? text.codePointAt(0) : undefined
    if (code === undefined || text !== String.fromCodePoint(code)) throw new Error('is no character')
    return code < surrogatesFrom ? code : code - numSurrogates
  },
)

function string({ unit, ...rest } = {}) {
  return fc.string({ ...rest, unit: unit === 'binary' ? anyCharacter : unit })
}

const ours = { ...fc, assert, string, __esModule: true }
module.exports = Object.assign(ours, { default: ours })
