// Turns packages/dashboard/page and uPlot into modules of text. They are not in git: set-up and build make them.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { reportModule } from './build-report.mjs'
import { root } from './setup.mjs'

const folder = path.join(root, 'packages/dashboard')
const uplot = path.join(root, 'node_modules/uplot')
const output = path.join(folder, 'src/pages.generated.ts')
const report = path.join(root, 'packages/cli/src/compare/html/pages.generated.ts')

const types = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The files of the page by the last part of their addresses; the page itself is ''. */
export function readPages() {
  const page = path.join(folder, 'page')
  const own = readdirSync(page)
    .sort()
    .map((name) => [
      name === 'index.html' ? '' : name,
      entry(name, readFileSync(path.join(page, name), 'utf8')),
    ])
  return Object.fromEntries([...own, ...chartLibrary()])
}

/** uPlot has no small ES module, so its small script is converted. Both files name their author. */
function chartLibrary() {
  const licence = readFileSync(path.join(uplot, 'LICENSE'), 'utf8').trimEnd()
  const { version } = JSON.parse(readFileSync(path.join(uplot, 'package.json'), 'utf8'))
  const header = `/*! uPlot ${version}, https://github.com/leeoniya/uPlot\n\n${licence}\n*/\n`
  const dist = (name) => readFileSync(path.join(uplot, 'dist', name), 'utf8').trimEnd()
  return [
    ['uplot.css', entry('uplot.css', `${header}${dist('uPlot.min.css')}\n`)],
    ['uplot.js', entry('uplot.js', `${header}${dist('uPlot.iife.min.js')}\nexport { uPlot }\n`)],
  ]
}

function entry(name, body) {
  const type = types[path.extname(name)]
  if (type === undefined) throw new Error(`packages/dashboard/page/${name}: no media type is known for it.`)
  return { type, body }
}

/** Of the dashboard, and of the report that shares its charts. */
export function buildPages() {
  const read = readPages()
  write(report, reportModule(read))
  const record = JSON.stringify(read, null, 2)
  const code = `// Made from packages/dashboard/page and uPlot by scripts/build-pages.mjs.
export interface Page {
  readonly type: string
  readonly body: string
}

export const pages: Readonly<Record<string, Page>> = ${record}
`
  write(output, code)
}

/** Writes the module if its text has changed: a new modification time makes tsc and jest start over. */
function write(file, code) {
  if (existsSync(file) && readFileSync(file, 'utf8') === code) return
  writeFileSync(file, code)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) buildPages()
