import { type Block, blocksOf, page } from '../docs/pages.ts'

/** What the commands of a page, or of a part of it, install. */
export function installsOf(text: string): readonly string[] {
  const commands = [...text.matchAll(/^npm install (?:--save-dev )?(.*)$/gm)]
  return [...new Set(commands.flatMap(([, names = '']) => names.split(' ')))]
}

/** The program of a page that begins with the name of its file. */
export function programOf(file: string, name: string): string {
  return only(file, ({ code }) => code.startsWith(`// ${name}\n`)).code
}

/** The one block of a page that is meant. */
export function only(file: string, isMeant: (block: Block) => boolean): Block {
  const [block, ...others] = blocksOf(page(file)).filter(isMeant)
  if (block === undefined || others.length > 0) throw new Error(`${file} has not one such block`)
  return block
}
