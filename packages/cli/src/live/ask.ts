import { createInterface } from 'node:readline/promises'
import { UsageError } from '../exit-code.ts'

/** Asks before an act that harms many or cannot be undone. Without a terminal nobody could answer, so --yes is needed. */
export async function agreed(question: string, yes: true | undefined): Promise<boolean> {
  if (yes) return true
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError(`${question} There is no terminal to ask: repeat it with --yes`)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim())
  } finally {
    terminal.close()
  }
}
