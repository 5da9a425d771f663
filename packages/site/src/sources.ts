import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** A page written in Markdown. */
export interface Source {
  /** Its path from the root of the repository: `docs/strategies/gcra.md`. */
  readonly file: string
  /** Its address on the site: `strategies/gcra.html`. */
  readonly url: string
  readonly title: string
  readonly text: string
}

/** Pages that do not lie in docs/, and belong to the site. */
const besides = [
  'CONTRIBUTING.md',
  'SECURITY.md',
  'lua/README.md',
  'packages/telemetry/ops/README.md',
  'examples/zoo/README.md',
]

/** All pages of the site, from the repository at `root`; its README.md is the first page. */
export function readSources(root: string): readonly Source[] {
  const files = ['README.md', ...markdownBelow(root, 'docs'), ...besides, ...packageReadmes(root)]
  return files
    .filter((file) => existsSync(path.join(root, file)))
    .map((file) => sourceOf(file, readFileSync(path.join(root, file), 'utf8')))
}

export function sourceOf(file: string, text: string): Source {
  return { file, url: urlOf(file), title: titleOf(text, file), text }
}

/** The address of a page: what lies in docs/ stands at the top, and a README is the index of its folder. */
function urlOf(file: string): string {
  return file
    .replace(/^docs\//, '')
    .replace(/README\.md$/, 'index.html')
    .replace(/^[A-Z]+(?=\.md$)/, (name) => name.toLowerCase())
    .replace(/\.md$/, '.html')
}

function titleOf(text: string, file: string): string {
  const [, title] = /^# (.+)$/m.exec(text) ?? []
  if (title === undefined) throw new Error(`${file} has no heading of the first level.`)
  return title.replaceAll('`', '')
}

function markdownBelow(root: string, folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.split(path.sep).join('/')}`)
    .sort()
}

/** Of the packages that are published. */
function packageReadmes(root: string): readonly string[] {
  const isPublished = (name: string): boolean => {
    const manifest = path.join(root, 'packages', name, 'package.json')
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).private !== true
  }
  return readdirSync(path.join(root, 'packages'))
    .filter(isPublished)
    .map((name) => `packages/${name}/README.md`)
}
