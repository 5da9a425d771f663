// Joins the page of `sluice compare --html` from its own files and the dashboard's charts: one script, one style, no imports.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './setup.mjs'

const folder = path.join(root, 'packages/cli/src/compare/html/page')
const styles = ['tokens.css', 'uplot.css', 'chart.css']
const importLine = /^import \{ ([^}]+) \} from '\.\/([\w-]+\.js)'$/gm
const exportWord = /^export (?=(?:async )?(?:function|const) (\w+))/gm
const exportList = /^export \{ ([^}]+) \}$/gm

/** The code of the module that holds the report's page; `pages` are those of the dashboard. */
export function reportModule(pages) {
  const text = (name) => pages[name]?.body ?? readFileSync(path.join(folder, name), 'utf8')
  const style = [...styles.map(text), text('report.css')].join('\n')
  const constants = { mark: text('mark.svg').trim(), style, script: joined('report.js', text) }
  const lines = Object.entries(constants).map(
    ([name, value]) => `export const ${name}: string = ${JSON.stringify(value)}\n`,
  )
  return `// Made from the report's page, the dashboard's and uPlot by scripts/build-report.mjs.\n${lines.join('')}`
}

/** A module and all that it imports as one text. Each is a scope of its own, as it was. */
function joined(name, text, done = new Set()) {
  if (done.has(name)) return ''
  done.add(name)
  const source = text(name)
  const before = [...source.matchAll(importLine)].map(([, , imported]) => joined(imported, text, done))
  const names = [
    ...[...source.matchAll(exportWord)].map(([, exported]) => exported),
    ...[...source.matchAll(exportList)].flatMap(([, list]) => list.split(', ')),
  ]
  const body = source.replace(importLine, '').replace(exportWord, '').replace(exportList, '')
  const unread = /^(?:import|export) .*/m.exec(body)
  if (unread) throw new Error(`${name}: the report cannot join this line: ${unread[0]}`)
  const answer = names.length === 0 ? ';' : `const { ${names.join(', ')} } = `
  return `${before.join('')}${answer}(() => {\n${body}\nreturn { ${names.join(', ')} }\n})()\n`
}
