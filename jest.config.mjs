// Tests run from the TypeScript sources: the condition "sluice-source" leads to them, nothing is built.
const base = {
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/packages', '<rootDir>/examples', '<rootDir>/scripts'],
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
    ],
  },
  testEnvironmentOptions: { customExportConditions: ['sluice-source', 'node', 'node-addons'] },
  modulePathIgnorePatterns: ['<rootDir>/(packages|examples)/[^/]+/dist/'],
}
/** A page in a real browser: `npm test` runs these alone, as a browser takes both cores. */
const browserTests = '\\.browser\\.test\\.ts$'
const redisTests = '\\.redis\\.test\\.ts$'
const adapters = 'packages/{express,fastify,koa}/test/**/*.test.ts'
const docs = ['<rootDir>/packages/conformance/test/docs/**/*.test.ts', '<rootDir>/scripts/test/**/*.test.ts']

const withRedis = {
  ...base,
  globalSetup: '<rootDir>/scripts/jest/redis-start.mjs',
  globalTeardown: '<rootDir>/scripts/jest/redis-stop.mjs',
}

/**
 * What needs a Redis server is named `*.redis.test.ts`, wherever it stands. What holds a deadline against the wall clock stands in
 * a folder `outage`: `npm test` runs it alone, one file at a time, as a busy machine is an outage of its own.
 */
export default {
  // On two cores jest itself would take one.
  maxWorkers: 2,
  reporters: ['default', '<rootDir>/scripts/closing-line.cjs'],
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['<rootDir>/packages/*/test/**/*.test.ts'],
      testPathIgnorePatterns: [
        redisTests,
        browserTests,
        '/packages/(express|fastify|koa)/',
        '/packages/conformance/test/docs/',
      ],
    },
    {
      ...withRedis,
      displayName: 'redis',
      testMatch: ['<rootDir>/{packages,examples}/*/test/**/*.redis.test.ts'],
      testPathIgnorePatterns: ['/test/outage/'],
    },
    {
      ...withRedis,
      displayName: 'outage',
      testMatch: ['<rootDir>/{packages,examples}/*/test/outage/**/*.test.ts'],
    },
    {
      ...base,
      displayName: 'adapters',
      testMatch: [`<rootDir>/${adapters}`],
      testPathIgnorePatterns: [redisTests],
    },
    {
      ...base,
      displayName: 'examples',
      testMatch: ['<rootDir>/examples/*/test/**/*.test.ts'],
      testPathIgnorePatterns: [redisTests, browserTests],
    },
    {
      ...base,
      displayName: 'browser',
      testMatch: ['<rootDir>/{packages,examples}/*/test/**/*.browser.test.ts'],
    },
    { ...base, displayName: 'docs', testMatch: docs, testPathIgnorePatterns: [redisTests] },
  ],
}
