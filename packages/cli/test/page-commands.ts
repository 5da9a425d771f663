import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@jest/globals'
import { sluice } from './sluice.ts'

const root = path.resolve(__dirname, '../../..')

/** The text of a page of docs. */
export function pageText(name: string): string {
  return readFileSync(path.join(root, 'docs', name), 'utf8')
}

/** Of each `<!-- run -->` the command, and what the page says it prints; a line of … stands for any lines. */
export function commandsOn(text: string): readonly (readonly [command: string, printed: string])[] {
  return [...text.matchAll(/^<!-- run -->\n```sh\n(.*)\n```\n\n```text\n([\s\S]*?)^```$/gm)].map(
    ([, command = '', printed = '']) => [command, printed] as const,
  )
}

/** How many commands a page marks as run. */
export function markedOn(text: string): number {
  return text.match(/^<!-- run -->$/gm)?.length ?? 0
}

/** What a page's command prints in that folder, or the lines of it with a word where the page says so. */
export async function printedBy(command: string, folder: string): Promise<string> {
  const [, line = '', word = ''] = /^npx sluice (.*?)(?: \| grep (\w+))?$/.exec(command) ?? []
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain)
  const { code, stdout, stderr } = await sluice(folder, ...words)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
    .split(/^/m)
    .filter((each) => each.includes(word))
    .join('')
}

/** What was printed, with lines of … where the page has them: equal to the page where the page is right. */
export function asOnPage(output: string, printed: string): string {
  const parts = printed.split(/^…\n/m)
  let rest = output
  const found = parts.map((part, i) => {
    const last = i === parts.length - 1
    const at = last ? rest.length - part.length : rest.indexOf(part)
    const shown = i === 0 && parts.length === 1 ? rest : rest.slice(at, at + part.length)
    rest = rest.slice(at + part.length)
    return at >= 0 && (i > 0 || at === 0) ? shown : output
  })
  return found.join('…\n')
}
