// Checks lua/, or the folder that is named: each file is formatted, and the scripts made of them read no name that Redis
// does not have and declare none that nobody reads. With --write it formats instead of complaining.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import {
  Config,
  formatCode,
  IndentType,
  LuaVersion,
  OutputVerification,
  QuoteStyle,
} from '@johnnymorganz/stylua'
import luaparse from 'luaparse'
import { register } from 'tsx/esm/api'
import { buildLua, readLua } from './build-lua.mjs'
import { localsOf } from './lua-locals.mjs'
import { root } from './setup.mjs'

/** Allowed globals: Redis forbids all others, but only when the line is executed. */
const sandbox = `redis KEYS ARGV cjson cmsgpack struct bit math string table
  assert error ipairs next pairs pcall select tonumber tostring type unpack xpcall`.split(/\s+/)

/** Functions of a strategy that are optional. */
const entries = 'local look, take, refuse, admit, give, reward, charge, unused, raise, renew, line, entries'

const write = process.argv.includes('--write')
const problems = []
const checked = new Set()
const folder = process.argv.slice(2).find((word) => !word.startsWith('--')) ?? path.join(root, 'lua')
const files = readdirSync(folder, { recursive: true })
  .filter((file) => file.endsWith('.lua'))
  .sort()
for (const file of files) {
  const text = readFileSync(path.join(folder, file), 'utf8')
  try {
    const formatted = formatCode(text, style(), undefined, OutputVerification.None)
    if (formatted === text) continue
    if (write) writeFileSync(path.join(folder, file), formatted)
    else problems.push(`lua/${file}: not formatted (npm run format)`)
  } catch (error) {
    problems.push(`lua/${file}: ${error.message ?? error}`)
  }
}

// A file alone is only a part: its neighbours' names would look like globals. So whole scripts are checked, and first with all
// their functions: what a server gets lacks those that nobody calls.
const { main, include, many, test, queue, recording, operations, reserving, ...parts } = readLua(folder)
const strategies = { ...parts.strategies, ...parts.compat }
buildLua()
register()
const inCore = (file) => import(`../packages/core/src/redis/${file}`)
const { loadLua } = await inCore('lua.ts')
const { admitting } = await inCore('lua-admitting.generated.ts')
await loadLua()
const { joinConstant, joinConstantMany, joinScript, reservingFragment } = await inCore('lua-text.ts')
const plain = Object.entries(strategies).map(([code, lua]) => ({ code, lua }))
const reservable = plain
  .filter(({ lua }) => /^local function due\(/m.test(lua))
  .map(({ code, lua }) => reservingFragment({ code: `${code}r`, lua }))
const forMany = ['decide', 'admitMany']
/** What stands before it in the scripts that have it. */
const behind = { admitMany: 'local N, policies, form, decide_rest = 1, 1, {}\n' }
const wholes = Object.entries(main).flatMap(([name, text]) =>
  [...plain, ...reservable].map(({ code, lua }) => {
    const shared = Object.values(forMany.includes(name) ? { ...include, ...many } : include).join('')
    return [`${name} with all of ${code}`, `${shared}${entries}\n${lua}${behind[name] ?? ''}${text}`]
  }),
)
wholes.push(...Object.entries(queue).map(([name, text]) => [`queue/${name}`, text]))
wholes.push(...Object.entries(operations).map(([name, text]) => [`operations/${name}`, text]))
wholes.push(...Object.entries(recording).map(([name, text]) => [`recording/${name}`, text]))
const isReadSomewhere = new Map()
for (const [title, text] of wholes) {
  const tree = checkScript(title, text)
  if (tree !== undefined) noteLocals(text, tree)
}
checkScript('all of lua/test', Object.values({ ...include, ...test }).join(''))
// Where a text cannot be read, that is said already.
if (problems.length === 0)
  problems.push(...[...isReadSomewhere].flatMap(([what, isRead]) => (isRead ? [] : [what])))

const fragments = [...plain, ...reservable]
const numbered = plain.map((fragment) => ({ fragment, numbers: new Array(9).fill('1') }))
for (const each of numbered) checkScript(`the constant script of ${each.fragment.code}`, joinConstant(each))
const together = numbered.filter(({ fragment }) => admitting.includes(fragment.code))
checkScript('the constant script of several policies', joinConstantMany(together, ['all']))
const before = ['admit', 'admitMany']
for (const name of Object.keys(main).filter((each) => !before.includes(each))) {
  for (const fragment of fragments) {
    checkScript(`${name} with ${fragment.code}`, joinScript(name, [fragment]))
    checkScript(`${name} with ${fragment.code} and blocks`, joinScript(name, [fragment], {}, ['blocks']))
    checkScript(
      `${name} with ${fragment.code} and parts`,
      joinScript(name, [fragment], {}, ['blocks', 'upto']),
    )
  }
  checkScript(`${name} with every strategy`, joinScript(name, fragments))
  checkScript(`${name} with lua/test`, joinScript(name, fragments, test))
}

for (const problem of new Set(problems)) console.error(problem)
if (problems.length === 0) console.log(`${files.length} files are in order`)
process.exitCode = problems.length === 0 ? 0 : 1

/** Answers the text as a tree, unless it is one that has been checked. */
function checkScript(title, text) {
  // Strategies that lack what is asked for are joined to the same text.
  if (checked.has(text)) return
  checked.add(text)
  try {
    const tree = luaparse.parse(text, { luaVersion: '5.1', scope: true, locations: true, comments: false })
    for (const { name, loc } of tree.globals) {
      if (sandbox.includes(name)) continue
      problems.push(`${title}: ${name} is not declared in: ${text.split('\n')[loc.start.line - 1].trim()}`)
    }
    return tree
  } catch (error) {
    problems.push(`${title}: ${error.message}`)
  }
}

/** A piece is part of several scripts, and what it declares must be used in at least one of them. */
function noteLocals(text, tree) {
  const lines = text.split('\n')
  for (const { name, line, where, read } of localsOf(tree)) {
    const code = lines[line - 1].trim()
    if (code === entries) continue
    const what = `${name} is never read${where && ` in ${where}`}: ${code}`
    isReadSomewhere.set(what, read || isReadSomewhere.get(what) === true)
  }
}

// formatCode takes its configuration for good, so each call needs one of its own.
function style() {
  const config = Config.new()
  config.syntax = LuaVersion.Lua51
  config.indent_type = IndentType.Spaces
  config.indent_width = 2
  config.quote_style = QuoteStyle.AutoPreferSingle
  return config
}
