// What the built files of a package import must be there wherever the package is installed.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseAst } from 'rolldown/parseAst'

/** A sentence for each import of a package that its package.json does not name, and of a file that is not in it. */
export function wrongImports(folder) {
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const { name, dependencies = {}, peerDependencies = {} } = manifest
  const named = new Set([name, ...Object.keys(dependencies), ...Object.keys(peerDependencies)])
  return codeBelow(folder).flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    const isMissing = (from) => !isThere(from, path.dirname(file), named)
    // Where all is there that might be an import, it need not be known what is one.
    if (!mentionedIn(text).some(isMissing)) return []
    return importsOf(file, text)
      .filter(isMissing)
      .map((from) => `${path.relative(folder, file)} imports ${from}, which ${name} neither has nor asks for`)
  })
}

/** Each text behind a word that imports, also in a comment or a text, as it is written there. */
function mentionedIn(text) {
  const pattern =
    /\b(?:from|import|require)\b(?:[\s()?.]|\/\*(?:(?!\*\/)[\s\S])*\*\/|\/\/.*(?=\n|$))*(["'])(.*?)\1/g
  return [...text.matchAll(pattern)].map(([, , from]) => from)
}

function codeBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : codeBelow(full)
    return /\.[cm]?[jt]s$/.test(entry.name) ? [full] : []
  })
}

function importsOf(file, text) {
  const found = new Set()
  collect(parseAst(text, { lang: file.endsWith('ts') ? 'dts' : 'js' }, file), found)
  return [...found]
}

/** From every node that names a module, wherever it stands. */
function collect(node, found) {
  const { type, source, callee, arguments: [first] = [] } = node
  const required = type === 'CallExpression' && callee.name === 'require' ? first : undefined
  for (const named of [source, required]) if (typeof named?.value === 'string') found.add(named.value)
  // Of millions of them: a list of all would take longer than the parsing.
  for (const name in node) {
    const child = node[name]
    if (typeof child === 'object' && child !== null) collect(child, found)
  }
}

function isThere(from, folder, named) {
  if (from.startsWith('node:')) return true
  if (from.startsWith('.')) {
    const file = path.join(folder, from)
    return existsSync(file) || existsSync(file.replace(/\.(c?)js$/, '.d.$1ts'))
  }
  const parts = from.split('/')
  return named.has(parts.slice(0, from.startsWith('@') ? 2 : 1).join('/'))
}
