/** Runs test files in the order of their names. */
module.exports = class ByName {
  sort(tests) {
    return [...tests].sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  shard(tests) {
    return tests
  }

  cacheResults() {}
}
