/** What the modules of one process keep for it: the instances that their top-level variables hold. */
export type States = readonly object[]

/** How an instance of the code is put from one process to another. */
export interface StateSwitch {
  /** As when the code is loaded. */
  fresh(): States
  load(states: States): void
}

/** A top-level variable that holds an instance of a class of the code itself, as it is bundled. */
const held = /^var (\w+) = (?:\/\* @__PURE__ \*\/ )?(new (\w+)\(.*\));$/gm

/** The text, with a switch at its end that it leaves in `module.states`. */
export function withSwitch(text: string): string {
  const all = [...text.matchAll(held)].filter(([, , , name]) => text.includes(`\nvar ${name} = class`))
  const fresh = all.map(([, , made]) => made).join(', ')
  const loads = all.map(([, name], i) => `${name} = states[${i}];`).join(' ')
  return `${text}\nmodule.states = { fresh: () => [${fresh}], load(states) { ${loads} } };`
}
