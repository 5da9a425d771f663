import { clientsPerLoop } from './plan.ts'
import { bounds, example } from './settings.ts'
import { crowdTests } from './tests.ts'
import { count } from './words.ts'

const width = Math.max(...crowdTests.map(({ name }) => name.length))
const tests = crowdTests.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`).join('\n')

const what = `A loop is one pass of ${clientsPerLoop} clients. Each takes a name at random and asks once after a short random delay.
There are twice as many names as allowed operations; in the test "gate", as many. In "gang" and "pair" one of
the ${clientsPerLoop} is new in each loop. The loops of a test are spread over its time: evenly, or with a rush after 8 s.
So LOOPS × ${clientsPerLoop} requests are sent in each test. That is well above the allowance if
LOOPS × ${clientsPerLoop} × 10 / SECONDS is more than 1.5 × ALLOWED.`

export const crowdHelp: string = `
${what}

Tests, in order:
${tests}

All numbers mean ALLOWED per 10 s. The gate admits each client once per 10 s; GCRA and the leaky bucket admit a
tenth of ALLOWED at once, the token bucket all of it. At most ${count(bounds.requests)} requests and ${bounds.seconds} s in all.

Examples:
  $ sluice crowd 400 300
  $ sluice crowd 400 300 --only log gang pair
  $ sluice crowd 400 300 --url http://127.0.0.1:3000`

const { loops, allowed, seconds } = example

export const introduction: string = `sluice crowd LOOPS ALLOWED sends the same crowd at each strategy and shows how each behaves.

${what}

Without numbers, a small example: ${loops} loops, ${allowed} operations allowed per 10 s, ${seconds} s a test.
All tests: sluice crowd 400 300. More: sluice crowd --help.
`
