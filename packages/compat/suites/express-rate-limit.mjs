/** express-rate-limit 8.6.2 */

/** What is exported there; what is internal is read from our sources, by its counterpart. */
const face = '@sluice/compat/express-rate-limit'
const inside = (file) => `../inside/${file}.cjs`

const memory = 'It looks at the Maps and the timer of their memory store; ours has neither.'

export const suite = {
  copies: ['test/library'],
  inside: ['headers', 'logger', 'validations'].map((file) => `express-rate-limit/${file}`),
  needs: [
    '@jest/globals',
    '@types/express',
    '@types/jest',
    '@types/node',
    '@types/supertest',
    'express',
    'jest',
    'ratelimit-header-parser',
    'supertest',
    'ts-jest',
    'typescript',
  ],
  files: {
    'source/index.ts': `export * from '${face}'\nexport { default } from '${face}'\n`,
    'source/types.ts': `export type * from '${face}'\n`,
    'source/memory-store.ts': `export { MemoryStore } from '${face}'\n`,
    'source/console-logger.ts': [
      `import { readLogger } from '${inside('logger')}'`,
      'export const ConsoleLogger = readLogger(undefined)',
    ].join('\n'),
    // There each field set of a draft has a function of its own.
    'source/headers.ts': [
      `import { setDraftHeaders, setLegacyHeaders, setRetryAfterHeader as setRetryAfter } from '${inside('headers')}'`,
      'const ofDraft = (draft: any) => (response: any, info: any, windowMs: number, name = "") =>',
      '  setDraftHeaders(response, info, { draft, windowMs, name })',
      'export const setDraft6Headers = ofDraft("draft-6")',
      'export const setDraft7Headers = ofDraft("draft-7")',
      'export const setDraft8Headers: any = ofDraft("draft-8")',
      'export const setRetryAfterHeader = (response: any, info: any, windowMs: number) =>',
      '  setRetryAfter(response, info, { windowMs, seconds: undefined })',
      'export { setLegacyHeaders }',
    ].join('\n'),
    // There the validations are methods of one object, here names that are run.
    'source/validations.ts': [
      `import { Validations as Ours } from '${inside('validations')}'`,
      'export type Validations = any',
      'export function getValidations(validate: any, logger: any): Validations {',
      '  const ours: any = new Ours(validate, logger)',
      '  return new Proxy({}, { get: (_target, name: string) => {',
      '    if (name === "disable") return () => { for (const key of Object.keys(ours.enabled)) ours.enabled[key] = false }',
      '    if (name === "validationsConfig") return () => ours.run(name, ours.enabled)',
      '    return (...about: unknown[]) => ours.run(name, ...about)',
      '  } })',
      '}',
    ].join('\n'),
    // Theirs extends a package that is not needed for anything else.
    'tsconfig.json': JSON.stringify({
      include: ['source/', 'test/'],
      compilerOptions: { target: 'ES2020', module: 'commonjs', esModuleInterop: true, isolatedModules: true },
    }),
  },
  run: ({ results }) => ({
    command: ['npx', 'jest', '--config', JSON.stringify(jest), '--json', '--outputFile', results],
  }),
  cannot: {
    'memory store test clears the timer when `shutdown` is called': memory,
    'memory store test should automatically clear previously set intervals': memory,
    'memory store test should move clients from previous to current': memory,
    'memory store test can run in electron where setInterval does not return a Timeout object with an unset function':
      'It sets a window of -1 ms, which is an OptionError.',
    'memory store test does not decrement the key below 0 when `decrement` is called':
      'It wants an object for a key that has used nothing; `get` answers undefined, as for a key that was never seen.',
    'validations tests windowMs should warn on large values':
      'It wants an error for a window of 30 days, which is counted here as any other.',
  },
}

/** As theirs, without the coverage of their sources. */
const jest = {
  preset: 'ts-jest/presets/default-esm',
  testTimeout: 30_000,
  testMatch: ['**/test/library/**/*-test.[jt]s?(x)'],
  moduleFileExtensions: ['js', 'jsx', 'json', 'ts', 'tsx'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
}
