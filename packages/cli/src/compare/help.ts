import { forms } from './policy-text.ts'
import { trafficHelp } from './traffic/help.ts'

/** The part of `--help` after the options. */
export function compareHelp(): string {
  return `
Policies, in short form or as JSON, e.g. '{"strategy":"gcra","count":100,"period":"1m"}':
${Object.values(forms)
  .map(({ example }) => `  ${example}`)
  .join('\n')}
Other options of a strategy follow after a comma, such as burst=20.

Keys: ip (IPv6 by its first 64 bits), user, path (without its query), everybody, or field:NAME.
Logs: text with a time and an HTTP request, JSON lines, W3C and CSV, gzipped or not, several in any order; "-" or none is
standard input. The client's field is found by looking at many lines, and the report says which one it is. --client names it:
request.client_ip, 2 (from the left), +5 (behind the request) or -1 (from the end). In a chain of proxies the client is the last
address that is neither private nor named by --trust. A log whose clients cannot be right is not judged: exit code 1.
A line that cannot be read is counted and the first one is shown; lines may be out of order by 10,000 lines.

Generated traffic, e.g. --traffic attack:rate=50,attackers=2,duration=5m; defaults are in brackets.
Every kind has the settings of poisson.
${trafficHelp()}

--recorded login replays what services have recorded in Redis, by the keys of the policy, and without --policy through the one
that is in force. Redis is found by --url, or by the environment: REDIS_URL, REDIS_USERNAME and REDIS_PASSWORD.

A policy that refuses well-behaved clients is named: those whose busiest minute is among the calmest 95 % (--well-behaved).
Below each policy is what half and twice its numbers would have done; for a file of limits, doubled and halved times.

--suggest 1% finds, for each policy or else for gcra, slidingWindowLog and fixedWindow over a minute, the tightest numbers
that would have refused at most 1 % of the well-behaved clients even once: those with the calmest busiest minute.

Examples:
  $ sluice compare access.log --policy gcra:100/1m --policy slidingWindowLog:100/1m
  $ zcat access.log.*.gz | sluice compare --policy fixedWindow:1000/1s --key everybody --html report.html
  $ sluice compare access.log --limits limits.yaml --path 'user/{user}/{method}'
  $ sluice compare access.log --suggest 1%
  $ kubectl logs deploy/web --timestamps | sluice compare --trust 192.0.2.0/24 --policy gcra:100/1m
  $ sluice compare --recorded login --suggest 1% --url redis://localhost
  $ sluice compare --traffic bursts:rate=20 --policy tokenBucket:10/1s,capacity=50 --json`
}
