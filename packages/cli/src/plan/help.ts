import { forms } from '../compare/policy-text.ts'

/** The part of `--help` after the options. */
export function planHelp(): string {
  return `
Policies, in short form or as JSON:
${Object.values(forms)
  .map(({ example }) => `  ${example}`)
  .join('\n')}
All policies count each user, so a request is one call; fairShare has a key for --clients users. concurrency cannot be planned: its keys live as long as requests take.

Numbers may be written 1e9, sizes 16GB (10⁹) or 16GiB (2³⁰), rates 50/d, 2/m or 3/10s.
Bytes and times were measured on this code; the last line of a plan says on what. --server-us takes your own time of a request.
A cost is printed where you give a price.

Examples:
  $ sluice plan --users 1e9 --active 10% --rate 50/d --policy slidingWindowLog:100/1h --policy gcra:10/1s --peak 3
  $ sluice plan --users 1e6 --rate 2/m --policy gcra:100/1m --replicas 1 --price 0.5/node-hour
  $ sluice plan --users 1e6 --rate 2/m --policy slidingWindowLog:100/1m --full --json`
}
