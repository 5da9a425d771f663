const { FAULT_TESTS: files = '' } = process.env
const order = files.split('\n')

/** Runs test files in the order in which a fault names them: the nearest first. */
module.exports = class InOrder {
  sort(tests) {
    const placeOf = ({ path }) => order.findIndex((file) => path.endsWith(file))
    return [...tests].sort((a, b) => placeOf(a) - placeOf(b))
  }

  shard(tests) {
    return tests
  }

  cacheResults() {}
}
