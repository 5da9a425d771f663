import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'

const main = path.resolve(__dirname, '../src/main.ts')
const tsx = require.resolve('tsx')

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

/** Runs the program from its sources, as somebody does who stands in that folder. */
export async function sluice(folder: string, ...args: readonly string[]): Promise<Ended> {
  return sluiceWith({}, folder, ...args)
}

/** As `sluice`, with more in its environment. */
export async function sluiceWith(
  env: Readonly<Record<string, string>>,
  folder: string,
  ...args: readonly string[]
): Promise<Ended> {
  const flags = ['--conditions=sluice-source', '--import', tsx, main]
  const child = spawn(process.execPath, [...flags, ...args], {
    cwd: folder,
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
