/** Words that readers use for one thing: a search for one of them finds the others too. */
const groups: readonly string[] = [
  'shutdown stop close exit drain sigterm kill',
  'startup start boot launch ready',
  'install installation npm setup add',
  'commonjs cjs require',
  'esm module modules import',
  'package packages library libraries',
  'refused refusal refusals rejected 429',
  'ban bans block blocks blocked blacklist denylist deny',
  'allow allowlist whitelist skip exempt',
  'shadow dry-run report-only',
  'field fields header headers',
  'ip address addresses network',
  'proxy proxies x-forwarded-for cdn',
  'redis valkey keydb',
  'postgres postgresql sql database',
  'kubernetes k8s helm',
  'outage failover fallback degraded down fails away',
  'reset clear forget unblock',
  'monitoring metrics prometheus opentelemetry alerts',
  'test tests testing mock jest vitest',
  'upgrade upgrading update version',
  'migrate migration moving from',
  'delay throttle throttling wait waiting slow',
  'login password bruteforce',
  'quota plan plans tier monthly',
  'speed performance benchmark latency',
  'configuration config options settings',
  'websocket websockets sockets socket',
  'serverless edge worker workers lambda',
]

const others = new Map<string, Set<string>>()
for (const words of groups.map((group) => group.split(' '))) {
  for (const word of words) others.set(word, new Set([...(others.get(word) ?? []), ...words]))
}

/** The other words of a word's groups. */
export function synonymsOf(word: string): readonly string[] {
  return [...(others.get(word.toLowerCase()) ?? [])].filter((other) => other !== word.toLowerCase())
}
