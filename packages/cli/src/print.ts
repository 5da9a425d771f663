import type { WriteStream } from 'node:tty'
import { styleText } from 'node:util'
import { describeProblem, type LimitsProblem } from '@sluice/limits'
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
export function printProblems(problems: readonly LimitsProblem[]): void {
  for (const problem of problems) console.log(describeProblem(problem))
  console.log(
    paint('red', problems.length === 1 ? '1 problem' : `${problems.length.toLocaleString('en')} problems`),
  )
}
