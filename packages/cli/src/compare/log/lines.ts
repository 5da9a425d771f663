import { StringDecoder } from 'node:string_decoder'
import { maxLineLength } from './format.ts'

/** The lines of a text in batches, without their line ends. Only the beginning of a line that is too long is kept. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  let first = true
  for await (const chunk of chunks) {
    const text = decoder.write(chunk)
    const lines = (rest + (first ? withoutMark(text) : text)).split('\n')
    first = first && text === ''
    rest = (lines.pop() ?? '').slice(0, maxLineLength + 1)
    if (lines.length > 0) yield lines.map(withoutReturn)
  }
  rest += decoder.end()
  if (rest !== '') yield [withoutReturn(rest)]
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/** Removes the byte order mark that some editors write. */
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}
