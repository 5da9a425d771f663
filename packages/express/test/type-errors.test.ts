import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'

const root = path.join(import.meta.dirname, '../../..')
const sources = path.join(import.meta.dirname, '../src/index.ts')

/** What the compiler says of a program. */
function errorsOf(program: (sources: string) => string): string {
  const folder = mkdtempSync(path.join(root, 'node_modules/.type-errors-'))
  try {
    writeFileSync(path.join(folder, 'program.mts'), program(path.relative(folder, sources)))
    const config = {
      extends: path.join(root, 'tsconfig.json'),
      include: ['program.mts'],
    }
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
    execFileSync(process.execPath, [
      path.join(root, 'node_modules/typescript/bin/tsc'),
      '-p',
      folder,
      '--noEmit',
    ])
    return ''
  } catch (thrown) {
    return String((thrown as { stdout?: unknown }).stdout)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

it('the type error of empty options says what is missing', () => {
  expect(errorsOf((from) => `import { rateLimit } from '${from}'\nrateLimit({})\n`)).toMatch(
    /^\S*program\.mts\(2,11\): error TS2345: Argument of type '\{\}' is not assignable to parameter of type 'PolicyOrPoliciesOrLimiter</,
  )
})
