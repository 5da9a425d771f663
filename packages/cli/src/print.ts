import type { WriteStream } from 'node:tty'
import { styleText } from 'node:util'
import { describeProblem, type LimitsProblem } from '@sluice/limits'
import { jsonText } from './one-line.ts'

type Style = Parameters<typeof styleText>[0]
type Stream = { readonly isTTY?: boolean | undefined; hasColors?: WriteStream['hasColors'] | undefined }

/** In colour on a terminal that knows it; plain in a pipe, in a file and with NO_COLOR. */
export function paint(style: Style, text: string, stream: Stream = process.stdout): string {
  // Later versions of Node would ask stdout too, whichever stream this is.
  return stream.isTTY && stream.hasColors?.() ? styleText(style, text, { validateStream: false }) : text
}

/** For programs: one value, and nothing else. */
export function printJson(value: unknown): void {
  console.log(jsonText(value))
}

/** One problem a line, and how many there are. */
export function printProblems(problems: readonly LimitsProblem[]): void {
  for (const problem of problems) console.log(describeProblem(problem))
  console.log(paint('red', problems.length === 1 ? '1 problem' : `${problems.length} problems`))
}
