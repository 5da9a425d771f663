/** The state that modules keep for one process: the instances that their top-level variables hold. */
export type States = readonly object[]

/** Switches an instance of the code from one process to another. */
export interface StateSwitch {
  /** States as they are when the code is loaded. */
  fresh(): States
  load(states: States): void
}

/** A top-level variable that holds an instance of a class of the code itself, as it is bundled. */
const held = /^var (\w+) = (?:\/\* @__PURE__ \*\/ )?(new (\w+)\(.*\));$/gm

/** The text with a StateSwitch at its end, which it leaves in `module.states`. */
export function withSwitch(text: string): string {
  const all = [...text.matchAll(held)].filter(([, , , name]) => text.includes(`\nvar ${name} = class`))
  const fresh = all.map(([, , made]) => made).join(', ')
  const loads = all.map(([, name], i) => `${name} = states[${i}];`).join(' ')
  return `${text}\nmodule.states = { fresh: () => [${fresh}], load(states) { ${loads} } };`
}
