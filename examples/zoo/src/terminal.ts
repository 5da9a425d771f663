import { styleText } from 'node:util'

/** Bold on a terminal that knows it; plain in a pipe, in a file and with NO_COLOR. */
export function bold(text: string): string {
  return process.stdout.isTTY && process.stdout.hasColors() ? styleText('bold', text) : text
}
