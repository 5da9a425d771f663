import { stem } from './stem.ts'

/** Words that readers use for one thing: a search for one of them finds the others too, each in all its forms. */
const groups: readonly string[] = [
  'shutdown stop close exit drain sigterm kill',
  'startup start boot launch ready',
  'install installation npm setup add',
  'commonjs cjs require',
  'esm module import',
  'package library libraries',
  'refused refusal rejected 429',
  'ban block blacklist denylist deny',
  'allow allowlist whitelist skip exempt',
  'shadow dry-run report-only',
  'field header',
  'ip ipv4 ipv6 address network',
  'proxy proxies x-forwarded-for cdn',
  'redis valkey keydb elasticache memorystore dragonfly',
  'postgres postgresql sql database',
  'database store mongodb mysql mariadb sqlite dynamodb memcached',
  'kubernetes k8s helm',
  'outage failover failure fails fallback degraded down away crash unavailable unreachable',
  'reset clear forget unblock',
  'monitoring metrics prometheus opentelemetry alerts',
  'test testing mock jest vitest',
  'upgrade update version',
  'migrate migration moving from',
  'delay throttle wait slow',
  'login password credentials brute bruteforce',
  'flood ddos dos attack abuse',
  'quota plan tier monthly',
  'speed performance benchmark latency',
  'configuration config option settings',
  'custom own',
  'global everybody whole overall',
  'message text body',
  'response answer',
  'strategy strategies algorithm',
  'deadline timeout',
  'permission acl rights',
  'tenant organisation organization team account',
  'language python java go php ruby rust',
  'process pm2 instance distributed',
  'concurrent concurrency parallel simultaneous flight',
  'websocket socket',
  'serverless edge worker lambda',
]

const byStem = new Map<string, Set<string>>()
for (const words of groups.map((group) => group.split(' '))) {
  for (const word of words.map(stem)) byStem.set(word, new Set([...(byStem.get(word) ?? []), ...words]))
}

/** The other words of a word's groups. */
export function synonymsOf(word: string): readonly string[] {
  return [...(byStem.get(stem(word)) ?? [])].filter((other) => stem(other) !== stem(word))
}
