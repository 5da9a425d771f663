import { withPathsApart } from './scripts/flags.mjs'

// Tests run from the TypeScript sources: the condition "sluice-source" leads to them, nothing is built.
const compiled = '<rootDir>/scripts/jest/compile.mjs'
/** Nest's users decorate parameters, for which there are only the old decorators. */
const decorated = { '/packages/nest/test/.*\\.ts$': [compiled, { decorators: true }] }
const base = {
  rootDir: import.meta.dirname,
  // One folder for what all projects have compiled: see scripts/jest/compile.mjs.
  id: 'sluice',
  roots: ['<rootDir>/packages', '<rootDir>/examples', '<rootDir>/scripts'],
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  transform: { ...decorated, '\\.ts$': compiled },
  testEnvironment: '<rootDir>/scripts/jest/environment.mjs',
  testEnvironmentOptions: { customExportConditions: ['sluice-source', 'node', 'node-addons'] },
  modulePathIgnorePatterns: ['<rootDir>/(packages|examples)/[^/]+/dist/', '/runtimes/apps/node_modules/'],
  moduleNameMapper: { '^fast-check$': '<rootDir>/scripts/jest/fast-check.cjs' },
}
/** A page in a real browser: only the trials have one. */
const browserTests = '\\.browser\\.test\\.ts$'
const redisTests = '\\.redis\\.test\\.ts$'
const postgresTests = '\\.postgres\\.test\\.ts$'
/** What our users install: the packages as they are packed. */
const packedTests = '\\.packed\\.test\\.ts$'
/** Another runtime, or an application that is built: they take their time to begin. */
const runtimeTests = '/test/runtimes/'
/** What a new user, or somebody new to this repository, sets out to do, as the pages say it. */
const taskTests = '/test/tasks/'
/** What holds a deadline against the wall clock. */
const outageTests = '/test/outage/'
/** The suite of adapters once more, on an older version or a second platform. */
const furtherPlatforms = '/(express4|koa2|on-fastify|hono|h3-1|h3-2|request-alone|hidden-all)\\.test\\.ts$'
/** The suite of stores once more, through a guard or another client, or over another number of servers: in the trials. */
const furtherStores =
  '/core/test/(store/(guarded|rest|glide|node-redis)|cluster/store-(slots|node-redis))\\.redis\\.test\\.ts$'
/** The same where a process of hostStore asks its own counts, or those of another store in it. */
const furtherHosts = '/host/test/store/(this|another)-store\\.test\\.ts$'
const docs = ['<rootDir>/packages/conformance/test/docs/**/*.test.ts', '<rootDir>/scripts/test/**/*.test.ts']

const withRedis = {
  ...base,
  globalSetup: '<rootDir>/scripts/jest/redis-start.mjs',
  globalTeardown: '<rootDir>/scripts/jest/redis-stop.mjs',
}

const adapters = {
  ...base,
  // h3 2 and what it stands on are ES modules.
  transform: { ...decorated, '\\.m?ts$|\\.mjs$': compiled },
  transformIgnorePatterns: ['/node_modules/(?!\\.pnpm|h3/|srvx/|rou3/|crossws/)'],
}

/**
 * What needs a Redis server is named `*.redis.test.ts`, in any folder, and what needs PostgreSQL `*.postgres.test.ts`. What
 * holds a deadline against the wall clock is in a folder `outage`: `npm run test:trials` runs it with nothing else beside it, because
 * a busy machine would miss deadlines.
 */
const config = {
  // On two cores jest itself would take one worker. Many files wait more than they compute.
  maxWorkers: 4,
  globalSetup: '<rootDir>/scripts/jest/generate.mjs',
  globalTeardown: '<rootDir>/scripts/jest/remove-bundles.mjs',
  testSequencer: '<rootDir>/scripts/jest/sequencer.cjs',
  // A machine that does other work beside may be thirty times slower, and that is no fault: no file has a shorter one.
  testTimeout: 180_000,
  reporters: ['default', '<rootDir>/scripts/closing-line.cjs'],
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['<rootDir>/packages/*/test/**/*.test.ts'],
      testPathIgnorePatterns: [
        redisTests,
        postgresTests,
        packedTests,
        browserTests,
        outageTests,
        runtimeTests,
        taskTests,
        furtherHosts,
        '/packages/(express|fastify|koa|nest|fetch)/',
        '/packages/conformance/test/docs/',
      ],
    },
    {
      ...withRedis,
      displayName: 'redis',
      testMatch: ['<rootDir>/{packages,examples}/*/test/**/*.redis.test.ts'],
      testPathIgnorePatterns: [outageTests, runtimeTests, furtherStores],
    },
    {
      ...withRedis,
      displayName: 'stores',
      testMatch: ['<rootDir>/packages/{core,host}/test/{store,cluster}/*.test.ts'],
      testPathIgnorePatterns: [`^(?!.*(${furtherStores}|${furtherHosts}))`],
    },
    {
      ...withRedis,
      displayName: 'outage',
      testEnvironment: '<rootDir>/scripts/jest/judging.mjs',
      testMatch: ['<rootDir>/{packages,examples}/*/test/outage/**/*.test.ts'],
    },
    {
      ...base,
      displayName: 'postgres',
      globalSetup: '<rootDir>/scripts/jest/postgres-start.mjs',
      globalTeardown: '<rootDir>/scripts/jest/postgres-stop.mjs',
      testMatch: ['<rootDir>/packages/*/test/**/*.postgres.test.ts'],
    },
    {
      ...adapters,
      displayName: 'adapters',
      testMatch: ['<rootDir>/packages/{express,fastify,koa,nest,fetch}/test/**/*.test.ts'],
      testPathIgnorePatterns: [redisTests, packedTests, outageTests, runtimeTests, furtherPlatforms],
    },
    {
      ...adapters,
      displayName: 'platforms',
      testMatch: ['<rootDir>/packages/{express,koa,nest,fetch}/test/*.test.ts'],
      testPathIgnorePatterns: [`^(?!.*${furtherPlatforms})`],
    },
    {
      ...base,
      displayName: 'examples',
      testMatch: ['<rootDir>/examples/*/test/**/*.test.ts'],
      testPathIgnorePatterns: [redisTests, browserTests, outageTests, taskTests],
    },
    {
      ...base,
      displayName: 'packed',
      globalSetup: '<rootDir>/scripts/jest/packed-start.mjs',
      globalTeardown: '<rootDir>/scripts/jest/packed-stop.mjs',
      testMatch: ['<rootDir>/packages/*/test/**/*.packed.test.ts'],
    },
    {
      ...base,
      displayName: 'browser',
      testMatch: ['<rootDir>/{packages,examples}/*/test/**/*.browser.test.ts'],
    },
    {
      ...withRedis,
      displayName: 'runtimes',
      testMatch: ['<rootDir>/packages/*/test/runtimes/**/*.test.ts'],
    },
    {
      ...base,
      displayName: 'tasks',
      globalSetup: '<rootDir>/scripts/jest/tasks-start.mjs',
      globalTeardown: '<rootDir>/scripts/jest/tasks-stop.mjs',
      testMatch: ['<rootDir>/{{packages,examples}/*,scripts}/test/tasks/**/*.test.ts'],
    },
    {
      ...base,
      displayName: 'docs',
      testMatch: docs,
      testPathIgnorePatterns: [redisTests, postgresTests, taskTests],
    },
  ],
}

// Started by hand, jest would take these paths for projects, and run all that the others have. `npm test` has put them right.
if (process.argv[1]?.endsWith('jest.js')) {
  const { paths } = withPathsApart(
    process.argv.slice(2),
    config.projects.map(({ displayName }) => displayName),
  )
  if (paths.length > 0)
    throw new Error(`No project: ${paths.join(', ')}. A path goes before --selectProjects.`)
}

export default config
