import { execFile } from 'node:child_process'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const scripts = path.join(import.meta.dirname, '../../../scripts')
const script = (name: string) => JSON.stringify(pathToFileURL(path.join(scripts, name)).href)

const known = new Map<string, Promise<string>>()

/** A folder as `npm install NAMES` makes it, with our packages as they are packed from this checkout. */
export function installed(...names: readonly string[]): Promise<string> {
  const which = names.join(' ')
  const folder = known.get(which) ?? install(names)
  known.set(which, folder)
  return folder
}

/** Does the same in an existing folder. */
export async function installedIn(folder: string, ...names: readonly string[]): Promise<void> {
  await withInstaller('layOut(folder, tarballs, names)', [folder, ...names])
}

function install(names: readonly string[]): Promise<string> {
  return withInstaller('console.log(installed(tarballs, names))', ['', ...names])
}

async function withInstaller(call: string, args: readonly string[]): Promise<string> {
  const program = `import { installed, layOut } from ${script('installed.mjs')}
    const tarballs = process.env.SLUICE_TEST_TARBALLS
    const [folder, ...names] = process.argv.slice(1)
    ${call}`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program, ...args])
  return stdout.trim()
}
