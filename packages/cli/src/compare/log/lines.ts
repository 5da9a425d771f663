import { StringDecoder } from 'node:string_decoder'
import { maxLineLength } from './format.ts'

/** The lines of a text in batches, without their line ends. Only the beginning of a line that is too long is kept. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
  let decoder: StringDecoder | undefined
  let rest = ''
  let first = true
  for await (const chunk of chunks) {
    decoder ??= new StringDecoder(isUtf16(chunk) ? 'utf16le' : 'utf8')
    const text = decoder.write(chunk)
    const lines = (rest + (first ? withoutMark(text) : text)).split('\n')
    first = first && text === ''
    rest = (lines.pop() ?? '').slice(0, maxLineLength + 1)
    if (lines.length > 0) yield lines.map(withoutReturn)
  }
  rest += decoder?.end() ?? ''
  if (rest !== '') yield [withoutReturn(rest)]
}

/** Whether a file is UTF-16, by its mark: PowerShell writes what a program prints so. */
function isUtf16(chunk: Buffer): boolean {
  return chunk[0] === 0xff && chunk[1] === 0xfe
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/** Removes the byte order mark that some editors write. */
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}
