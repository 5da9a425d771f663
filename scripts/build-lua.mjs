// Turns lua/ into modules of text, and the vectors into one. They are not in git: set-up and build make them.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './setup.mjs'

/** Shared pieces that others need come first, the rest in alphabetical order. */
const firstIncludes = ['time', 'integer', 'expiry', 'row']
const includeLine = /^([ \t]*)--@include[ \t]+(\w+)[ \t]*$/gm

const luaFolder = path.join(root, 'lua')

/**
 * The texts of lua/ by kind and name. `include` holds the pieces that stand before every script that is joined; those that
 * a file asks for by an include line are in that file's text instead. The scripts of queues, of recording and of operations stand for themselves.
 */
export function readLua(folder = luaFolder) {
  const readFolder = (part) => readTexts(path.join(folder, part))
  const pieces = readFolder('include')
  const finish = finishWith(pieces)
  const forQueues = finishWith({ ...pieces, ...readFolder('queue/include') })
  const forCompat = finishWith({ ...pieces, ...readFolder('compat/include') })
  const [strategies, main, test, many] = ['strategies', '.', 'test', 'many'].map(readFolder)
  const askedFor = [pieces, strategies, main].flatMap((texts) =>
    Object.values(texts).flatMap((text) => [...text.matchAll(includeLine)].map(([, , name]) => name)),
  )
  const rank = (name) => (firstIncludes.includes(name) ? firstIncludes.indexOf(name) : firstIncludes.length)
  const include = Object.keys(pieces)
    .filter((name) => !askedFor.includes(name))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  return {
    main: mapValues(main, finish),
    include: Object.fromEntries(include.map((name) => [name, finish(pieces[name])])),
    strategies: mapValues(strategies, finish),
    test: mapValues(test, finish),
    many: mapValues(many, finish),
    queue: mapValues(readFolder('queue'), forQueues),
    recording: mapValues(readFolder('recording'), finish),
    operations: mapValues(readFolder('operations'), finish),
    compat: mapValues(readFolder('compat'), forCompat),
    reserving: mapValues(readFolder('reserving'), finish),
    shared: askedFor.map((name) => finish(pieces[name])),
  }
}

/** Replaces include lines by the pieces, each once per file. */
function finishWith(pieces) {
  const expand = (text, done = new Set()) =>
    text.replace(includeLine, (line, indent, name) => {
      if (pieces[name] === undefined) throw new Error(`There is no include/${name}.lua for: ${line.trim()}`)
      if (done.has(name)) return ''
      done.add(name)
      // A function ends with the first `end` at the left edge, so what stands in one is indented as its line.
      return expand(pieces[name], done).replace(/^(?=.)/gm, indent)
    })
  return (text) => strip(expand(text))
}

/** Writes the modules whose text has changed: a new modification time makes tsc and jest start over. */
export function buildLua() {
  const { main, include, many, strategies, test, queue, recording, operations, compat, reserving, shared } =
    mapValues(readLua(), tight)
  write(
    'packages/core/src/redis/lua.generated.ts',
    withPieces({ main, include, many, strategies, reserving }, shared),
  )
  const admitting = Object.keys(strategies).filter((name) =>
    /^local function admit\(/m.test(strategies[name]),
  )
  write(
    'packages/core/src/redis/lua-admitting.generated.ts',
    `/** Strategies that admit plain checks by a short function of their own. */\nexport const admitting: readonly string[] = ${JSON.stringify(admitting)}\n`,
  )
  write('packages/queue/src/lua.generated.ts', constants(queue))
  write('packages/telemetry/src/lua.generated.ts', constants(recording))
  write('packages/operations/src/lua.generated.ts', constants(operations))
  write('packages/compat/src/lua.generated.ts', constants(compat))
  write('packages/faults/src/test-lua.generated.ts', record('testIncludes', test))
  write('packages/conformance/src/store/vectors.generated.ts', vectors())
}

/** Packed in a module, the vectors can be read by whoever loads the package, in either form. */
function vectors() {
  const folder = path.join(root, 'packages/conformance/vectors')
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  const read = (file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8'))
  const byName = Object.fromEntries(files.sort().map((file) => [path.basename(file, '.json'), read(file)]))
  return `export const vectorFiles: Readonly<Record<string, unknown>> = ${JSON.stringify(byName)}\n`
}

/**
 * A text in quotes, or a sign that needs no space on either side. Two minus signs would begin a comment, and joined texts keep theirs, as
 * a number may stand there.
 */
const spaced = /'[^'\n]*'|"[^"\n]*"| *([=~<>]=|[=<>,+*/]|-(?! *-)) */g

/** The texts, or the list of them, without spaces that a server would store needlessly. */
function tight(texts) {
  const one = (text) => text.replace(spaced, (whole, sign) => sign ?? whole)
  return Array.isArray(texts) ? texts.map(one) : mapValues(texts, one)
}

function record(name, texts) {
  return `export const ${name}: Readonly<Record<string, string>> = ${JSON.stringify(texts, null, 2)}\n`
}

/** Records in which a piece that several texts include stands once. */
function withPieces(records, shared) {
  const all = Object.values(records).flatMap((texts) => Object.values(texts))
  const pieces = [...new Set(shared)]
    .filter((piece) => all.filter((text) => text.includes(piece)).length > 1)
    .sort((a, b) => b.length - a.length)
  // A piece may have shorter ones in it.
  const inParts = (text, from = 0) => {
    const at = pieces.findIndex((piece, i) => i >= from && text.includes(piece))
    if (at < 0) return text === '' ? [] : [JSON.stringify(text)]
    const [before, ...after] = text.split(pieces[at])
    return [...inParts(before, from), ...after.flatMap((part) => [`piece${at}`, ...inParts(part, from)])]
  }
  const named = pieces.map(
    (piece, at) => `const piece${at}: string = ${inParts(piece, at + 1).join(' + ')}\n`,
  )
  const written = Object.entries(records).map(([name, texts]) => {
    const lines = Object.entries(texts).map(
      ([each, text]) => `  ${each}: ${inParts(text).join(' + ') || "''"},\n`,
    )
    return `export const ${name}: Readonly<Record<string, string>> = {\n${lines.join('')}}\n`
  })
  return named.reverse().join('') + written.join('')
}

function constants(texts) {
  const lines = Object.entries(texts).map(
    ([name, text]) => `export const ${name}Lua: string = ${JSON.stringify(text)}\n`,
  )
  return lines.join('') || 'export {}\n'
}

function write(file, code) {
  const text = `// Made by scripts/build-lua.mjs.\n${code}`
  const full = path.join(root, file)
  if (existsSync(full) && readFileSync(full, 'utf8') === text) return
  mkdirSync(path.dirname(full), { recursive: true })
  writeFileSync(full, text)
}

/**
 * Removes blank lines, comments and indents, which a server would store needlessly, but not marks such as --@name. Of functions and their
 * ends one space is kept: `lua-text.ts` knows by it which are at the left edge.
 */
function strip(text) {
  const code = text
    .replace(/^[ \t]*--\[\[(?:(?!\]\])[\s\S])*\]\][ \t]*$/gm, '')
    .replace(/^[ \t]*--(?!@|\[=*\[).*$/gm, '')
  const risky = code.split('\n').find((line) => /\[=*\[|\\$/.test(line))
  if (risky) throw new Error(`A Lua text over several lines could lose some of them: ${risky.trim()}`)
  const lines = code.replace(/^[ \t]*\n/gm, '').replace(/^ +(?!local function |end$)/gm, '')
  return `${lines.trimEnd()}\n`
}

function readTexts(full) {
  if (!existsSync(full)) return {}
  const files = readdirSync(full).filter((file) => file.endsWith('.lua'))
  return Object.fromEntries(
    files.sort().map((file) => [file.slice(0, -'.lua'.length), readFileSync(path.join(full, file), 'utf8')]),
  )
}

function mapValues(texts, change) {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)]))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) buildLua()
