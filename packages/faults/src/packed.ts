import { execFile } from 'node:child_process'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const scripts = path.join(import.meta.dirname, '../../../scripts')
const script = (name: string) => JSON.stringify(pathToFileURL(path.join(scripts, name)).href)

const known = new Map<string, Promise<string>>()

/** A folder as `npm install NAMES` makes it: with ours as they are packed, from this checkout. */
export function installed(...names: readonly string[]): Promise<string> {
  const which = names.join(' ')
  const folder = known.get(which) ?? install(names)
  known.set(which, folder)
  return folder
}

async function install(names: readonly string[]): Promise<string> {
  const program = `import { installed } from ${script('installed.mjs')}
    console.log(installed(process.env.SLUICE_TEST_TARBALLS, process.argv.slice(1)))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program, ...names])
  return stdout.trim()
}
