// Takes the place of the Lua texts in a simulation, whose server knows a script by its last line: to join the long ones for each
// store of each history would take a fifth of its time.
const names = ['decide', 'decideOne', 'adjust', 'manage', 'renew', 'line'] as const
/** Of every strategy with a Lua half; bundle.ts puts them in. */
declare const STRATEGY_NAMES: readonly string[]

export const main: Readonly<Record<string, string>> = Object.fromEntries(
  names.map((name) => [name, `--@blocks\n-- blocks\n--@end\n-- ${name}`]),
)
export const include: Readonly<Record<string, string>> = {}
export const many: Readonly<Record<string, string>> = {}
export const strategies: Readonly<Record<string, string>> = Object.fromEntries(
  // That it speaks of ARGV puts the numbers of a policy's own script into that script's text.
  STRATEGY_NAMES.map((name) => [name, `-- ${name}, of ARGV\n`]),
)
export const reserving: Readonly<Record<string, string>> = {}
