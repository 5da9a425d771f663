import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export const root: string = path.resolve(__dirname, '../../../..')

/** A page of words, by its path from the root of the repository. */
export interface Page {
  readonly file: string
  readonly text: string
}

/** A fenced block of a page. */
export interface Block {
  readonly page: string
  /** Of its first line of code, from 1. */
  readonly line: number
  /** What stands behind the opening fence. */
  readonly info: string
  readonly code: string
}

/** All pages that this repository's words consist of. */
export function pages(): readonly Page[] {
  const packages = readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}/README.md`)
  const files = [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'lua/README.md',
    'packages/telemetry/ops/README.md',
    ...packages,
    ...below('docs'),
  ]
  return files.filter((file) => existsSync(path.join(root, file))).map(page)
}

export function page(file: string): Page {
  return { file, text: readFileSync(path.join(root, file), 'utf8') }
}

function below(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.split(path.sep).join('/')}`)
    .sort()
}

export function blocksOf({ file, text }: Page): readonly Block[] {
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(({ index, 1: info = '', 2: code = '' }) => ({
    page: file,
    line: text.slice(0, index).split('\n').length + 1,
    info,
    code,
  }))
}

/** What a program says it prints: the comments behind console.log(…), then the comment lines at its end. */
export function statedOutput({ code }: Block): string {
  const lines = code.trimEnd().split('\n')
  const end = lines.findLastIndex((line) => !line.startsWith('// ')) + 1
  const beside = lines.slice(0, end).flatMap((line) => /console\.log\(.*\) \/\/ (.*)$/.exec(line)?.[1] ?? [])
  return [...beside, ...lines.slice(end).map((line) => line.slice('// '.length))].join('\n')
}

/** The page with its blocks and comments emptied, line for line: what is left is prose. */
export function proseOf({ text }: Page): string {
  const empty = (part: string) => part.replace(/[^\n]/g, '')
  return text.replace(/^```.*\n[\s\S]*?^```$/gm, empty).replace(/<!--[\s\S]*?-->/g, empty)
}

export interface Heading {
  readonly level: number
  readonly title: string
  /** What a link to it says behind its `#`. */
  readonly anchor: string
}

/** The headings of a page with their anchors, numbered where they are alike, as GitHub makes them. */
export function headingsOf(page: Page): readonly Heading[] {
  const seen = new Map<string, number>()
  return [...proseOf(page).matchAll(/^(#+) (.+)$/gm)].map(({ 1: marks = '', 2: title = '' }) => {
    const slug = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    return { level: marks.length, title, anchor: times === 0 ? slug : `${slug}-${times}` }
  })
}

/** The text of the section under a heading of the second level. */
export function sectionOf({ text }: Page, title: string): string {
  const [, section = ''] = text.split(`\n## ${title}\n`)
  return section.split(/^## /m)[0] ?? ''
}
