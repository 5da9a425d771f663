import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

const root = path.join(import.meta.dirname, '../../../..')

/** Runs a program of this folder to its end, and reads what it has printed. */
export async function runProgram<Printed>(program: string, ...args: readonly string[]): Promise<Printed> {
  const file = path.join(import.meta.dirname, program)
  const command = ['--conditions=sluice-source', '--import', 'tsx', file, ...args]
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root })
  return JSON.parse(stdout) as Printed // the program prints nothing else
}
