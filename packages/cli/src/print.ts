import type { WriteStream } from 'node:tty'
import { styleText } from 'node:util'
import { describeProblem, type LimitsError, type LimitsProblem } from '@sluice/limits'
import { type ExitCode, exitCode } from './exit-code.ts'
import { jsonText } from './one-line.ts'

type Style = Parameters<typeof styleText>[0]
type Stream = { readonly isTTY?: boolean | undefined; hasColors?: WriteStream['hasColors'] | undefined }

/** The text in colour on a terminal that supports it; plain in a pipe, in a file and with NO_COLOR. */
export function paint(style: Style, text: string, stream: Stream = process.stdout): string {
  // With validation, later versions of Node would check stdout instead of this stream.
  return stream.isTTY && stream.hasColors?.() ? styleText(style, text, { validateStream: false }) : text
}

/** Prints one JSON value, for programs. */
export function printJson(value: unknown): void {
  console.log(jsonText(value))
}

/** Prints one problem per line, then their number. */
export function printProblems(
  problems: readonly LimitsProblem[],
  stream: NodeJS.WriteStream = process.stdout,
): void {
  const number = problems.length === 1 ? '1 problem' : `${problems.length.toLocaleString('en')} problems`
  for (const problem of problems) stream.write(`${describeProblem(problem)}\n`)
  stream.write(`${paint('red', number, stream)}\n`)
}

/** For a command that makes something else of a file: standard output may go into another file. */
export function reportLimitsError({ problems }: LimitsError): ExitCode {
  printProblems(problems, process.stderr)
  // Only a file that cannot be read has no lines.
  return problems.some(({ line }) => line === 0) ? exitCode.usage : exitCode.problems
}
