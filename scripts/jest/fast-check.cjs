// Stands for `fast-check` in tests: all properties have one seed, so that a failure comes back. A failed property prints it.
const fc = require('../../node_modules/fast-check/lib/cjs/fast-check.js')

fc.configureGlobal({ seed: Number(process.env.SLUICE_TEST_SEED ?? 20_261_121) })
module.exports = fc
