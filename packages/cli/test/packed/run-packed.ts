import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Ended } from '../sluice.ts'

/** How a command is run. */
export interface Place {
  /** Where the packages are installed. */
  readonly app: string
  /** Where it stands. */
  readonly cwd: string
  /** Beside the usual. */
  readonly env?: NodeJS.ProcessEnv
  /** Below `node_modules` of `app`. @default what a user starts */
  readonly file?: string | undefined
}

/** Runs the installed command line to its end; a service is asked to end as soon as it says where it listens. */
export async function runPacked(
  { app, cwd, env, file = '.bin/sluice' }: Place,
  words: readonly string[],
): Promise<Ended> {
  const child = spawn(path.join(app, 'node_modules', file), words, {
    cwd,
    env: { ...process.env, REDIS_URL: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk
    if (words[0] === 'serve' && /HTTP {2}https?:/.test(stdout)) child.kill('SIGTERM')
  })
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

/** Runs several command lines, one after the other, in one process. What ends by a signal cannot be among them. */
export async function runTogether(
  { app, cwd }: Pick<Place, 'app' | 'cwd'>,
  lines: readonly (readonly string[])[],
): Promise<readonly Ended[]> {
  const program = path.join(app, 'node_modules/@sluice/cli/dist/main.js')
  const args = [path.join(__dirname, 'together.mjs'), program, JSON.stringify(lines)]
  const env = { ...process.env, REDIS_URL: '' }
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env })
  return JSON.parse(stdout)
}
