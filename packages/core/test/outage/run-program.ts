import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { bundled } from '@sluice/faults/bundle'

/** Runs a program of this folder to its end, and reads what it has printed. */
export async function runProgram<Printed>(program: string, ...args: readonly string[]): Promise<Printed> {
  const file = await bundled(path.join(import.meta.dirname, program))()
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args])
  return JSON.parse(stdout) as Printed // the program prints nothing else
}
