// Makes the code of a package small, and its stack traces still readable: functions, classes and public members keep their names, and each
// statement has a line.
import { parseAst } from 'rolldown/parseAst'

const names = { function: true, class: true }

/** For rolldown's `minify`. */
export const compactly = {
  compress: { keepNames: names },
  mangle: { keepNames: true },
  codegen: { removeWhitespace: true },
}

/** As rolldown exports a binding that may change. */
const changing =
  /Object\.defineProperty\(exports,"([\w$]+)",\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)/g

/** In CommonJS, what never changes is exported as it is: a quarter of the text, and no function is called for it. */
export function plainExports() {
  return {
    name: 'plain-exports',
    generateBundle({ format }, files) {
      if (format !== 'cjs') return
      for (const file of Object.values(files)) {
        if (file.type !== 'chunk') continue
        const code = withPlainExports(file.code)
        file.code = file.isEntry ? code : withExportsAtOnce(code)
      }
    },
  }
}

function withPlainExports(code) {
  const changed = new Set()
  collectChanged(parseAst(code), changed)
  return code.replace(changing, (whole, name, of) => (changed.has(of) ? whole : `exports.${name}=${of}`))
}

/** In a file that only ours require: eight bytes less for each name. Node finds the names of an entry by their assignments. */
function withExportsAtOnce(code) {
  return code.replace(/exports\.[\w$]+=[\w$]+(,exports\.[\w$]+=[\w$]+)+/g, (list) => {
    const pairs = list.replaceAll('exports.', '').replaceAll('=', ':')
    return `Object.assign(exports,{${pairs}})`
  })
}

/** Names that something is assigned to, wherever: two variables may have one name. */
function collectChanged(node, changed) {
  if (node.type === 'UpdateExpression') collectNames(node.argument, changed)
  if (assigning.includes(node.type) && node.left.type !== 'VariableDeclaration')
    collectNames(node.left, changed)
  for (const child of childrenOf(node)) collectChanged(child, changed)
}

const assigning = ['AssignmentExpression', 'ForInStatement', 'ForOfStatement']

function collectNames(node, names) {
  if (node.type === 'Identifier') names.add(node.name)
  // What an object has may change: its name means the same object.
  if (node.type !== 'MemberExpression') for (const child of childrenOf(node)) collectNames(child, names)
}

function childrenOf(node) {
  return Object.values(node)
    .flat()
    .filter((child) => typeof child === 'object' && child !== null)
}

/** Begins a line for each statement and each member of a class, so that the line in a stack trace says more than the file. */
export function statementsOnLines() {
  return {
    name: 'statements-on-lines',
    generateBundle(_options, files) {
      for (const file of Object.values(files)) {
        if (file.type === 'chunk' && file.fileName.endsWith('js')) file.code = onLines(file.code)
      }
    },
  }
}

/** `@__PURE__` and the like tell a bundler that it may drop a call whose answer is not used. */
const annotation = /\/\* (@__\w+__) \*\/ ?/g

/** Drops annotations inside functions and fields of instances: bundlers keep or drop those as a whole. */
function withAnnotationsOutside(code) {
  const bodies = []
  collectBodies(parseAst(code), bodies)
  return code.replace(annotation, (_whole, name, at) => {
    if (!bodies.some(({ start, end }) => start < at && at < end)) return `/*${name}*/`
    return /\w/.test(code[at - 1]) ? ' ' : ''
  })
}

/** Collects functions, and the fields of instances. */
function collectBodies(node, bodies) {
  const ofInstance = node.type === 'PropertyDefinition' && !node.static
  if (ofInstance || /Function/.test(node.type)) bodies.push(node)
  else for (const child of childrenOf(node)) collectBodies(child, bodies)
}

function onLines(given) {
  const code = withAnnotationsOutside(given)
  const starts = new Map()
  collectStarts(parseAst(code), code, starts)
  const ascending = [...starts.keys()].filter((at) => at > 0 && code[at - 1] !== '\n').sort((a, b) => a - b)
  const parts = ascending.map((at, i) => code.slice(ascending[i - 1] ?? 0, at - (starts.get(at) ? 1 : 0)))
  return asAscii([...parts, code.slice(ascending.at(-1) ?? 0)].join('\n'))
}

/** Where statements begin that stand among others, and members of classes; and whether the end of a line is enough before them. */
function collectStarts(node, code, starts) {
  if (Array.isArray(node.body)) {
    for (const [i, { start }] of node.body.entries())
      starts.set(start, endsByLine(node.body[i - 1], code, start))
  }
  for (const child of childrenOf(node)) collectStarts(child, code, starts)
}

const ending = [
  'ExpressionStatement',
  'VariableDeclaration',
  'ReturnStatement',
  'ThrowStatement',
  'PropertyDefinition',
]

/** The statement that an `if` or a loop ends with, or the statement itself. */
function lastIn(node) {
  const below = node?.alternate ?? node?.consequent ?? node?.body
  return /^(If|For|ForIn|ForOf|While)Statement$/.test(node?.type) ? lastIn(below) : node
}

/** Whether the semicolon between two statements, or members of a class, says no more than the end of its line. */
function endsByLine(before, code, at) {
  if (!ending.includes(lastIn(before)?.type) || before.end !== at || code[at - 1] !== ';') return false
  // What begins otherwise, such as with a bracket, may go on with the line before it.
  if (!/^[\w$#]/.test(code[at]) || /^(in|instanceof)\b/.test(code.slice(at, at + 11))) return false
  // A field `get` would make a getter of the member behind it.
  return (
    before.type !== 'PropertyDefinition' || before.value !== null || before.key.type === 'PrivateIdentifier'
  )
}

/** One character beyond Latin-1 would make an engine keep the whole file in two bytes a character. */
function asAscii(code) {
  return code.replace(/[^\0-\x7F]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
