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
  const rules = [...everybodys.flatMap(rulesOf), ...visitors.flatMap(visitorsRulesOf)]
  return { strategy: strategies.join(' + '), rule: rules.join(', ') || 'nobody gets in' }
}

/** `fixedWindow` → `fixed window` */
function strategyOf({ policy }: Explained): string {
  return shortNames[policy] ?? policy.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

/** `one per visitor every 10 s`; a limit without a time: `5 at once per visitor` */
function visitorsRulesOf(limit: Explained): readonly string[] {
  return rulesOf(limit).map((rule) => {
    const words = rule.replace(/\b(\d+) per (?=\d)/g, (_, units) => `${wordFor(units)} per visitor every `)
    return words === rule ? `${rule} per visitor` : words
  })
}

const wordFor = (units: string) => (units === '1' ? 'one' : units)

/** `100 per 10s` → `100 per 10 s` */
function rulesOf({ rule }: Explained): readonly string[] {
  return rule === '' ? [] : [rule.replaceAll(' and ', ', ').replace(/(\d)(ms|s|m|h|d)\b/g, '$1 $2')]
}
