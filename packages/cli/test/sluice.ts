import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { bundled } from '@sluice/faults/bundle'

const main = path.resolve(__dirname, '../src/main.ts')

/** The program, for a test that starts it by itself. */
export const program: () => Promise<string> = bundled(main)

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A folder with files in it. */
export function folderWith(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-cli-'))
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content)
  return folder
}

/** Runs the program with that folder as its working directory. */
export async function sluice(folder: string, ...args: readonly string[]): Promise<Ended> {
  return run([await program(), ...args], folder)
}

/** The same with more in its environment. */
export async function sluiceWith(
  env: Readonly<Record<string, string>>,
  folder: string,
  ...args: readonly string[]
): Promise<Ended> {
  return run([await program(), ...args], folder, env)
}

async function run(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, stdout, stderr }
}
