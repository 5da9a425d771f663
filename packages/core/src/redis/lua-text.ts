import { luaTexts } from './lua.ts'

/** What a script needs of a strategy. */
export interface Fragment {
  readonly code: string
  readonly lua: string
}

export type MainScript = 'decide' | 'decideOne' | 'adjust' | 'manage' | 'renew' | 'line'
export type Includes = Readonly<Record<string, string>>

const calls: Readonly<Record<MainScript, readonly string[]>> = {
  decide: ['look', 'take'],
  decideOne: ['look', 'take'],
  adjust: ['look', 'take', 'give', 'reward', 'charge', 'raise'],
  manage: ['look', 'take', 'charge', 'unused', 'entries'],
  renew: ['renew'],
  line: ['line'],
}

const deciding: ReadonlySet<MainScript> = new Set<MainScript>(['decide', 'decideOne'])

const topLevelFunction = /^local function (\w+)\([^)]*\)\n[\s\S]*?^end\n/gm
/**
 * Lines that few scripts need: `blocks` those for policies with `blockFor`, `upto` those for questions that take a part of their cost,
 * `refuses` those of strategies that remember whom they have refused.
 */
const markedLines = /^[ ]*--@(blocks|upto|refuses)\n([\s\S]*?)^[ ]*--@end\n/gm
export type Mark = 'blocks' | 'upto'
const refuseFunction = /^local function refuse\(/m
/** An argument of a check or of its strategy, at a fixed place, and whether it is used as a number. */
const argument = /\bARGV\[at(?: ?\+ ?(\d+))?\]( ?\+ ?0\b)?/g
/** In decideOne.lua, the arguments for mode and patience. */
const callArgument = /\bARGV\[([23])\]/g
const anyArgument = /\bARGV\b/
const admitFunction = /^local function admit\(([^)]*)\)\n([\s\S]*?)^end\n/m
const admitCall = /^[ ]*local (.+)=admit\((.+)\)\n/m
/** Lines of admitMany.lua that stand once for each policy, and lines that are only there where there is one, or where there are several. */
const policyLines = /^[ ]*--@(each|each backwards|each of several|one|several)\n([\s\S]*?)^[ ]*--@end\n/gm
/** There, the number of a policy, from 1. */
const policyNumber = /(?<=\b|_)N\b/g
const returns = /^([ ]*)return(?: (.+))?\n/gm
const dispatchLine = /^[ ]*--@dispatch (.*)\n/m

function mentions(text: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(text)
}

/** Leaves out functions that are never called: each costs a closure in every call of the script. */
function prune(text: string, isCalled: (name: string) => boolean): string {
  for (;;) {
    const pruned = text.replace(topLevelFunction, (body, name: string) => {
      return isCalled(name) || mentions(text.replace(body, ''), name) ? body : ''
    })
    if (pruned === text) return text
    text = pruned
  }
}

/** Functions of a fragment that are renamed where reserving ones stand in front of them. */
const standsBehind = /\b(look|take|give|reward)\(/g

/** The fragment of a strategy whose callers can reserve: they are let in one behind the other. */
export function reservingFragment({ code, lua }: Fragment): Fragment {
  const { before = '', after = '' } = luaTexts().reserving
  return { code, lua: before + lua.replace(standsBehind, 'plain_$1(') + after }
}

/** Which functions of a fragment are called. Where `charge` is called, a strategy that has one needs no `take`. */
function isCalledOf(lua: string, called: readonly string[]): (name: string) => boolean {
  const charges = called.includes('charge') && /^local function charge\(/m.test(lua)
  return (name) => called.includes(name) && !(charges && name === 'take')
}

/**
 * One script out of the shared pieces, the fragments of the strategies in use, and a main script. A script with one strategy
 * calls it directly; with several it looks them up by their codes. `marks`: which of the marked lines it has.
 */
export function joinScript(
  name: MainScript,
  fragments: readonly Fragment[],
  includes: Includes = {},
  marks: readonly Mark[] = [],
): string {
  const { include, many } = luaTexts()
  const pieces = name === 'decide' ? { ...include, ...many, ...includes } : { ...include, ...includes }
  return withPieces(pieces, bodyOf(name, fragments, marks))
}

/** The fragments and the main script that calls them. */
function bodyOf(
  name: MainScript,
  fragments: readonly Fragment[],
  marks: readonly Mark[] = [],
  text = luaTexts().main[name] ?? '',
): string {
  const refuses = deciding.has(name) && fragments.some(({ lua }) => refuseFunction.test(lua))
  const called = refuses ? [...calls[name], 'refuse'] : calls[name]
  const needed: readonly string[] = refuses ? [...marks, 'refuses'] : marks
  const script = text.replace(markedLines, (_all, mark: string, lines: string) =>
    needed.includes(mark) ? lines : '',
  )
  const sorted = [...fragments].sort((a, b) => (a.code < b.code ? -1 : 1))
  const absent = `local ${called.join(', ')}\n`
  const texts = sorted.map(({ lua }) => absent + prune(lua, isCalledOf(lua, called)))
  if (sorted.length === 1) return (texts[0] ?? '') + script.replace(dispatchLine, '')
  return dispatched(sorted, { texts, called, main: script })
}

/** The body, behind the shared pieces that it calls. */
function withPieces(pieces: Includes, body: string): string {
  return prune(Object.values(pieces).join(''), (each) => mentions(body, each)) + body
}

/**
 * Puts constants in place of `ARGV[at]`, `ARGV[at + 1]` …: a number where it is used as one, else a text, which is joined at once with a
 * text beside it.
 */
function withConstants(lua: string, constants: readonly string[]): string {
  const folded = lua.replace(argument, (_all, offset: string | undefined, asNumber: string | undefined) => {
    const value = constants[Number(offset ?? 0)]
    if (value === undefined) return 'nil'
    return asNumber !== undefined && String(Number(value)) === value ? value : `'${value}'`
  })
  return folded.replaceAll("' .. '", '')
}

/** The strategy of a policy, and its numbers. */
export interface Numbered {
  readonly fragment: Fragment
  readonly numbers: readonly string[]
}

/**
 * decideOne.lua for what most callers ask, an all-or-nothing check for one unit by a policy that binds: its only argument is the
 * instant after which nothing is taken, and the strategy's arguments are constants of the text. Where the strategy computes the place
 * of an argument, its text has a table of all arguments too. It calls the place of its first argument `at` everywhere. If it has an
 * `admit`, and the caller can read the state that `admit` leaves, admit.lua stands before the rest.
 */
export function joinConstant(
  { fragment: { code, lua }, numbers }: Numbered,
  includes: Includes = {},
  readsState = true,
): string {
  const { include, main } = luaTexts()
  const call = ['all', '0']
  const check = ['1', code, 'b']
  const script = withConstants(main.decideOne ?? '', check).replace(
    callArgument,
    (_all, i) => `'${call[i - 2]}'`,
  )
  const folded = withConstants(lua, numbers)
  const texts = [...call, ...check, ...numbers].map((each) => `'${each}'`)
  const table = anyArgument.test(folded) ? `local ARGV = { ARGV[1], ${texts.join(', ')} }\n` : ''
  const body = bodyOf('decideOne', [{ code, lua: table + folded }], [], script)
  const { admit, callees } = admitOf(folded)
  const pieces = { ...include, ...includes }
  if (!readsState || admit === '') return withPieces(pieces, body)
  const { time, ...others } = pieces
  return withPieces(pieces, callees + inPlace(admit, main.admit ?? '')) + withPieces(others, body)
}

/** The `admit` of a fragment, or '', and the functions that it calls. */
function admitOf(lua: string): { readonly admit: string; readonly callees: string } {
  const pruned = prune(lua, (each) => each === 'admit')
  const [admit = ''] = admitFunction.exec(pruned) ?? []
  return { admit, callees: admit === '' ? '' : pruned.replace(admit, '') }
}

/** The body of `admit` in place of its call: a function would be made anew in each call of the script. */
function inPlace(admit: string, script: string): string {
  const [, parameters, body = ''] = admitFunction.exec(admit) ?? []
  return script.replace(admitCall, (_all, answers: string, values: string) => {
    const ending = body.replace(returns, (_line, indent: string, answer: string | undefined) =>
      answer === undefined ? `${indent}break\n` : `${indent}${answers} = ${answer}\n${indent}break\n`,
    )
    return `local ${parameters} = ${values}\nlocal ${answers}\nrepeat\n${ending}until true\n`
  })
}

/**
 * decide.lua for many questions, each what most callers ask of a limiter with these policies: its only arguments are the instants after
 * which nothing is taken. `form` is what they have in common, as decide.lua reads it. Each strategy has an `admit`.
 */
export function joinConstantMany(
  policies: readonly Numbered[],
  form: readonly (string | number)[],
  includes: Includes = {},
): string {
  const { include, main, many } = luaTexts()
  const parts = policies.map(({ fragment, numbers }) => {
    const { admit, callees } = admitOf(fragment.lua)
    // tonumber() converts a text twice. Here what is no number may fail: its question then goes to the rest, as any that fails.
    return { admit: withConstants(admit, numbers).replaceAll('tonumber(', '(0 + '), callees }
  })
  const fragments = [...new Map(policies.map(({ fragment }) => [fragment.code, fragment])).values()]
  const script = (main.admitMany ?? '').replace(policyLines, (_all, which: string, lines: string) => {
    if (policies.length === 1 ? which.endsWith('several') : which === 'one') return ''
    if (which === 'several') return lines
    const each = parts.map(({ admit }, i) => inPlace(admit, lines.replace(policyNumber, String(i + 1))))
    return (which === 'each backwards' ? each.reverse() : each).join('')
  })
  const texts = [
    `local form = { ${form.map((each) => `'${each}'`).join(', ')} }\n`,
    `local policies = ${policies.length}\n`,
    `local function decide_rest(KEYS, ARGV)\n${bodyOf('decide', fragments)}end\n`,
    ...new Set(parts.map(({ callees }) => callees)),
    script,
  ]
  return withPieces({ ...include, ...many, ...includes }, texts.join(''))
}

function dispatched(
  fragments: readonly Fragment[],
  { texts, called, main: script }: { texts: readonly string[]; called: readonly string[]; main: string },
): string {
  const fields = called.map((each) => `${each} = ${each}`).join(', ')
  const blocks = fragments.map(({ code }, i) => `do\n${texts[i]}strategies['${code}'] = { ${fields} }\nend\n`)
  const lookUp = (_line: string, code: string) => {
    return `local strategy = strategies[${code}]\nlocal ${called.join(', ')} = ${called.map((each) => `strategy.${each}`).join(', ')}\n`
  }
  return `local strategies = {}\n${blocks.join('')}${script.replace(dispatchLine, lookUp)}`
}
