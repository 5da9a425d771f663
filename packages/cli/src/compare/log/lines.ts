import { StringDecoder } from 'node:string_decoder'
import { longestLine } from './format.ts'

/** The lines of a text as they come, many at once, without their ends. Of a line that is too long only its beginning is kept. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  let first = true
  for await (const chunk of chunks) {
    const text = decoder.write(chunk)
    const lines = (rest + (first ? withoutMark(text) : text)).split('\n')
    first = first && text === ''
    rest = (lines.pop() ?? '').slice(0, longestLine + 1)
    if (lines.length > 0) yield lines.map(withoutReturn)
  }
  rest += decoder.end()
  if (rest !== '') yield [withoutReturn(rest)]
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/** Some editors put a byte order mark before a text. */
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}
