import { type NewPolicy, nearest, withHints } from './options.ts'
import { counterparts } from './other-libraries.ts'

/** What to write instead of an option that is none, where it is known what was meant. */
function hintFor(option: string, names: readonly string[], policy?: NewPolicy): string | undefined {
  const counterpart = counterparts.get(option)
  if (counterpart !== undefined && (policy === undefined || counterpart.numbers !== true)) {
    const { code, note = '', page } = counterpart
    return `no such option: ${code === undefined ? note : `write ${code}${note}`}, see ${page}`
  }
  if (policy === undefined) return undefined
  const isMeant = counterpart !== undefined || (lacksAny(policy) && nearest(option, names) === undefined)
  return isMeant ? `no such option: write ${exampleOf(policy)}` : undefined
}

function lacksAny({ needed, given }: NewPolicy): boolean {
  return needed.some(([name]) => Reflect.get(given, name) === undefined)
}

/** `gcra({ count: 100, period: '1m' })` */
function exampleOf({ strategy, needed }: NewPolicy): string {
  return `${strategy}(${literal(Object.fromEntries(needed))})`
}

function literal(value: unknown): string {
  if (value === undefined) return '…'
  if (typeof value === 'string') return `'${value}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).map(([name, each]) => `${name}: ${literal(each)}`)
  return `{ ${members.join(', ')} }`
}

/** Where this is loaded, every option that is none gets its hint. */
export const noSuchOptionHere: ReturnType<typeof withHints> = /* @__PURE__ */ withHints(hintFor)
