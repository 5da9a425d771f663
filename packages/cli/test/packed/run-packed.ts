import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
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
