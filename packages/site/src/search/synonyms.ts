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
  'allow allowlist whitelist skip exempt disable',
  'shadow dry-run report-only',
  'field header',
  'ip ipv4 ipv6 address network',
  'proxy proxies x-forwarded-for cdn',
  'redis valkey keydb elasticache memorystore dragonfly',
  'postgres postgresql sql database',
  'database store mongodb mysql mariadb sqlite dynamodb memcached',
  'kubernetes k8s helm',
  'outage failover failure fails fallback degraded down away crash unavailable unreachable econnrefused etimedout econnreset',
  'reset clear forget unblock',
  'monitoring metrics prometheus opentelemetry alerts datadog newrelic statsd',
  'test testing mock jest vitest supertest mocha playwright cypress e2e',
  'upgrade update version',
  'upgrading deploy deployment rolling rollout canary',
  'migrate migration moving from',
  'delay throttle wait slow',
  'login password credentials brute bruteforce stuffing otp sms signup',
  'password permission protect auth authorize',
  'flood ddos dos attack abuse bots scraping scraper crawler',
  'quota plan tier monthly',
  'calendar month monthly midnight billing subscription',
  'speed fast performance benchmark latency overhead',
  'overhead cost',
  'configuration config option settings',
  'custom own',
  'global everybody everyone whole overall',
  'message text body page',
  'response answer',
  'route endpoint url path',
  'suggested right strict tight',
  'graphql apollo',
  'bytes memory leak ram',
  'side alternative versus comparison compare feature',
  'behind heroku render railway fly ingress',
  'llm openai gpt anthropic',
  'lock mutex semaphore concurrency',
  'sizing numbers set',
  'handler remix astro elysia',
  'plain hapi restify polka adonis feathers',
  'strategy strategies algorithm',
  'deadline timeout',
  'permission acl rights',
  'tenant organisation organization team account',
  'language python django flask java spring go php laravel ruby rails rust dotnet',
  'process pm2 instance distributed',
  'concurrent concurrency parallel simultaneous flight',
  'websocket socket',
  'serverless edge worker lambda netlify',
]

const byStem = new Map<string, Set<string>>()
for (const words of groups.map((group) => group.split(' '))) {
  for (const word of words.map(stem)) byStem.set(word, new Set([...(byStem.get(word) ?? []), ...words]))
}

/** The other words of a word's groups. */
export function synonymsOf(word: string): readonly string[] {
  return [...(byStem.get(stem(word)) ?? [])].filter((other) => stem(other) !== stem(word))
}
