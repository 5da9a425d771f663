// Takes the place of core's lua.ts in a simulation, whose server knows a script by its last line: to join the long ones for each
// store of each history would take a fifth of its time.
const names = ['decide', 'decideOne', 'adjust', 'manage', 'renew', 'line'] as const
type Texts = Readonly<Record<string, string>>
/** The names of all strategies with a Lua half; bundle.ts puts them in. */
declare const STRATEGY_NAMES: readonly string[]

const main: Texts = Object.fromEntries(
  names.map((name) => [name, `--@blocks\n-- blocks\n--@end\n-- ${name}`]),
)
const strategies: Texts = Object.fromEntries(
  // ARGV is named so that the numbers of a policy's own script are put into that script's text.
  STRATEGY_NAMES.map((name) => [name, `-- ${name}, of ARGV\n`]),
)
const texts: Readonly<Record<'main' | 'include' | 'many' | 'strategies' | 'reserving', Texts>> = {
  main,
  include: {},
  many: {},
  strategies,
  reserving: {},
}

export const admitting: readonly string[] = []

export async function loadLua(): Promise<void> {}

export function luaTexts(): typeof texts {
  return texts
}
