import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Runs a file beside this one in a separate process, started like this one, and resolves to its output. */
export async function inChild(
  file: string,
  args: readonly string[],
  flags: readonly string[] = [],
): Promise<string> {
  const program = fileURLToPath(new URL(file, import.meta.url))
  const { stdout } = await run(process.execPath, [...process.execArgv, ...flags, program, ...args])
  return stdout
}
