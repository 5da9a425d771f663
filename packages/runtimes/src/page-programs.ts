import { readFileSync } from 'node:fs'
import path from 'node:path'

const textOf = (page: string) => readFileSync(path.join(__dirname, '../../../docs', page), 'utf8')

/** The programs of a page of docs by the files that their first lines name, such as `// app/actions.ts`. */
export function programsOf(page: string): { readonly [file: string]: string } {
  const blocks = [...textOf(page).matchAll(/^```ts\n(\/\/ (\S+)\n[\s\S]*?)^```$/gm)]
  return Object.fromEntries(blocks.map(([, code = '', file = '']) => [file, code]))
}

/** The blocks of JSON of a page. */
export function settingsOf(page: string): readonly string[] {
  return [...textOf(page).matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
}

/** What the commands of a page install. */
export function installsOf(page: string): readonly string[] {
  const commands = [...textOf(page).matchAll(/^npm install (.*)$/gm)]
  return [...new Set(commands.flatMap(([, names = '']) => names.split(' ')))]
}
