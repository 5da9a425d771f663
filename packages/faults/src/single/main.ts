import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { copyCheckout } from './copy.ts'
import { changedBy } from './fault.ts'
import type { GuardedFault } from './guarded.ts'
import { parts } from './lists/list.ts'
import { chosenFaults, help, readOptions } from './options.ts'
import { endTests, type Outcome, runTests } from './run-tests.ts'

const root = path.resolve(import.meta.dirname, '../../../..')

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args)
  if (options.help) {
    console.log(help)
    return 0
  }
  const chosen = chosenFaults(parts, options.only)
  const faults = chosen.slice(options.from - 1)
  if (options.list) {
    for (const { file, name, why, tests, named } of faults) {
      const only = named === undefined ? [] : [`only tests named ${named}`]
      console.log([`${file}: ${name} (${why})`, ...tests, ...only].join('\n    '))
    }
    return 0
  }
  if (chosen.length === 0) throw new Error(`No fault: ${options.only.join(', ')}. See --list.`)
  if (faults.length === 0) throw new Error(`There are only ${chosen.length} of them. See --list.`)
  const folder = copyCheckout(root)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end)
  if (!options.trusted) await checkTests(folder, faults)
  return putInAll(folder, faults, options.from)
}

function end(): void {
  endTests()
  process.exit(1)
}

async function checkTests(folder: string, faults: readonly GuardedFault[]): Promise<void> {
  const tests = [...new Set(faults.flatMap(({ tests }) => tests))]
  console.log(`${tests.length} test files without a fault`)
  const { failed, broken } = await runTests(folder, { tests })
  if (failed.length + broken.length === 0) return
  console.log([...failed, ...broken].join('\n'))
  throw new Error('The tests fail without any fault.')
}

async function putInAll(folder: string, faults: readonly GuardedFault[], from: number): Promise<number> {
  const last = from + faults.length - 1
  let noticed = 0
  for (const [n, fault] of faults.entries()) {
    console.log(`${from + n} of ${last}: ${fault.file}: ${fault.name} (${fault.why})`)
    const outcome = await withFault(folder, fault)
    const [test] = outcome.failed
    if (test !== undefined) noticed++
    console.log(`    ${test === undefined ? unnoticed(outcome) : `noticed: ${test}`}`)
  }
  console.log(`${noticed} noticed, ${faults.length - noticed} not`)
  return noticed === faults.length ? 0 : 1
}

async function withFault(folder: string, fault: GuardedFault): Promise<Outcome> {
  const file = path.join(folder, fault.file)
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, changedBy(fault, text))
  try {
    return await runTests(folder, fault)
  } finally {
    writeFileSync(file, text)
  }
}

/** How a fault went unnoticed. A file that cannot run at all has not noticed it: that would happen with any change. */
function unnoticed({ broken }: Outcome): string {
  return broken.length === 0 ? 'NOT NOTICED' : `NOT NOTICED: does not run: ${broken.join('\n')}`
}

// The reader of a pipe may exit first, as in `npm run faults -- --list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  end()
})

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  return 1
})
