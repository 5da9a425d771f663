// The commands behind `npm start` and `npm test`: on a fresh checkout they install what is missing.
import { buildLua } from './build-lua.mjs'
import { buildPages } from './build-pages.mjs'
import { endedBy, run } from './child.mjs'
import { installForZoo, installPackages } from './setup.mjs'
import { test } from './test.mjs'
import { times } from './times.mjs'
import { trials } from './trials.mjs'

const usage = `Usage: node scripts/run.mjs <command> [flags]

  start  installs what the zoo needs and runs it; its flags: npm start -- --help
  test   installs what is missing and runs every check that needs no outage, no browser and no other runtime
         npm test -- gcra         only the test files whose path contains "gcra"
         npm test -- -t 'a name'  only the tests of that name; any flag of jest works
  times  test, and then a table of what each project and the slowest files took of the processor
  trials the rest, before an issue is closed: outages, pages in a browser, other runtimes, a release
         npm run test:trials stores outage   only these steps
  setup  installs what is missing, and nothing else
`

const commands = { start, test, times, trials, setup: () => installPackages() }

async function start(flags) {
  installForZoo()
  buildLua()
  buildPages()
  const zoo = ['--conditions=sluice-source', '--import', 'tsx', 'examples/zoo/src/main.ts']
  const { code } = await run(process.execPath, [...zoo, ...flags], { foreground: true })
  return code
}

const [name, ...flags] = process.argv.slice(2)
if (name === '--help' || name === '-h') {
  console.log(usage)
} else if (name === undefined || !Object.hasOwn(commands, name)) {
  console.error(name === undefined ? usage : `Unknown command "${name}".\n\n${usage}`)
  process.exitCode = 1
} else {
  try {
    process.exitCode = await commands[name](flags)
  } catch (error) {
    if (endedBy() === null) console.error(error.message)
    process.exitCode = 1
  }
}
