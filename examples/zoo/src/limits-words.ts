import type { Explained } from '@sluice/limits'
import type { Count } from './counting.ts'

/** Shorter names for cards. */
const shortNames: { readonly [strategy: string]: string } = {
  gcra: 'GCRA',
  uniform: 'gate',
  slidingWindowLog: 'log',
  deny: 'closed',
}

/** Limits of a file in few words, for a card: those for everybody, and those per visitor. */
export function wordsOf(
  everybodys: readonly Explained[],
  visitors: readonly Explained[],
): Pick<Count, 'strategy' | 'rule'> {
  if (everybodys.length + visitors.length === 0)
    return { strategy: 'no limit', rule: 'every order is served' }
  const strategies = [
    ...everybodys.map(strategyOf),
    ...visitors.map((each) => `${strategyOf(each)} per visitor`),
  ]
  const rules = [...everybodys.flatMap(rulesOf), ...visitors.flatMap(rulesOf).map((rule) => `${rule} each`)]
  return { strategy: strategies.join(' + '), rule: rules.join(', ') || 'nobody gets in' }
}

/** `fixedWindow` → `fixed window` */
function strategyOf({ policy }: Explained): string {
  return shortNames[policy] ?? policy.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

/** `100 per 10s` → `100 per 10 s` */
function rulesOf({ rule }: Explained): readonly string[] {
  return rule === '' ? [] : [rule.replaceAll(' and ', ', ').replace(/(\d)(ms|s|m|h|d)\b/g, '$1 $2')]
}
