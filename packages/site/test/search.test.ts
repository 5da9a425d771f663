import path from 'node:path'
import { expect, test } from '@jest/globals'
import { markdown } from '../src/markdown.ts'
import { isExplanation } from '../src/navigation.ts'
import { searchOf } from '../src/search/engine.ts'
import { searchEntries } from '../src/search/script.ts'
import { stem } from '../src/search/stem.ts'
import { synonymsOf } from '../src/search/synonyms.ts'
import { sectionsOf } from '../src/sections.ts'
import { readSources } from '../src/sources.ts'

const sources = readSources(path.resolve(__dirname, '../../..'))
const md = markdown({ pages: new Map(), repository: null })
const pages = new Map(sources.map((source) => [source, sectionsOf(md, source.text, { source })]))
const search = searchOf(searchEntries(pages, new Set()))
const firstOf = (asked: string, most: number) =>
  search(asked)
    .slice(0, most)
    .map(({ url }) => url)

// What a reader types, and the section that answers it: among the first three, as others may have the words too.
test.each([
  ['graceful shutdown', 'reliability.html#startup-and-graceful-shutdown'],
  ['commonjs', 'index.html#install-and-limit-an-application'],
  ['install', 'index.html#install-and-limit-an-application'],
  ['which package', 'index.html#which-package'],
  ['429', 'http.html#refusals'],
  ['proxy', 'keys.html#behind-a-proxy'],
  ['test', 'testing.html'],
  ['reset a user', 'keys.html#reset-a-user-or-an-address'],
  ['login limit', 'keys.html#login-limits'],
  ['which strategy', 'index.html#which-strategy'],
  ['trust proxy', 'keys.html#behind-a-proxy'],
  ['circuit breaker', 'reliability.html#the-circuit-breaker'],
  ['dry-run', 'http.html#shadow'],
  ['k8s', 'kubernetes.html'],
])('a search for “%s” finds %s', (asked, url) => {
  expect(firstOf(asked, 3)).toContain(url)
})

// What strangers type, and the page that each of them is looking for.
test.each([
  ['redis is down', 'reliability.html'],
  ['what happens when redis crashes', 'reliability.html'],
  ['fail open', 'reliability.html'],
  ['timeout', 'reliability.html'],
  ['close connection on exit', 'reliability.html'],
  ['redis password tls', 'reliability.html'],
  ['redis acl permissions', 'reliability.html'],
  ['redis memory usage', 'reliability.html'],
  ['elasticache', 'reliability.html'],
  ['redis cluster crossslot', 'cluster.html'],
  ['429', 'http.html'],
  ['custom error message', 'http.html'],
  ['change status code', 'http.html'],
  ['retry after header', 'http.html'],
  ['draft ietf headers', 'http.html'],
  ['concurrent requests', 'http.html'],
  ['different limits per plan', 'http.html'],
  ['shadow mode', 'http.html'],
  ['two limits on one route', 'http.html'],
  ["don't count failed requests", 'http.html'],
  ['only count failed', 'http.html'],
  ['cors', 'http.html'],
  ['graphql cost', 'http.html'],
  ['behind nginx', 'keys.html'],
  ['x-forwarded-for', 'keys.html'],
  ['too many requests login', 'keys.html'],
  ['brute force', 'keys.html'],
  ['rate limit by user id', 'keys.html'],
  ['tenant', 'keys.html'],
  ['per route', 'keys.html'],
  ['ipv6', 'keys.html'],
  ['cloudflare ip', 'fetch.html'],
  ['next.js middleware', 'next.html'],
  ['nuxt', 'fetch.html'],
  ['serverless', 'workers.html'],
  ['websocket', 'nest.html'],
  ['graphql', 'nest.html'],
  ['throttler', 'nest.html'],
  ['migrate from express-rate-limit', 'moving/express-rate-limit.html'],
  ['jest fake timers', 'testing.html'],
  ['unit test without waiting', 'testing.html'],
  ['esm require', 'index.html'],
  ['typescript types', 'index.html'],
  ['which algorithm', 'index.html'],
  ['sliding window vs token bucket', 'strategies/tokenBucket.html'],
  ['daily quota', 'index.html'],
  ['timezone', 'calendars.html'],
  ['cluster mode pm2', 'host.html'],
  ['how many processes', 'host.html'],
  ['whitelist ip', 'lists.html'],
  ['admin block ip', 'lists.html'],
  ['block user', 'blocking.html'],
  ['ddos', 'incident.html'],
  ['wait until allowed', 'waiting.html'],
  ['mongodb', 'own-store.html'],
  ['python', 'serve.html'],
  ['prometheus', 'metrics.html'],
  ['load shedding', 'adaptive.html'],
  ['grafana', 'packages/telemetry/ops/index.html'],
  ['SLUICE_TRUST_ALL', 'errors.html'],
  // At three in the morning.
  ['redis connection refused', 'reliability.html'],
  ['econnrefused', 'reliability.html'],
  ['everyone gets 429', 'incident.html'],
  ['limit not working', 'incident.html'],
  ['limiter not working behind load balancer', 'keys.html'],
  ['same ip for all users', 'keys.html'],
  ['memory leak', 'reliability.html'],
  ['redis out of memory', 'reliability.html'],
  ['redis eviction policy', 'reliability.html'],
  ['redis readonly replica', 'reliability.html'],
  ['log refused requests', 'seeing.html'],
  ['who is being limited', 'dashboard.html'],
  ['scraping bots', 'incident.html'],
  ['raise limit without deploy', 'changing-limits.html'],
  ['rolling deploy', 'upgrading.html'],
  ['disable in tests', 'testing.html'],
  ['cors expose headers', 'http.html'],
  ['reset limit after successful login', 'keys.html'],
  [
    '[sluice] the store redis is no longer asked (onStoreFailure decides), as it failed again',
    'reliability.html',
  ],
  // While choosing, and while writing the first limit.
  ['skip health check', 'http.html'],
  ['disable rate limit in development', 'http.html'],
  ['internal services exempt', 'http.html'],
  ['per endpoint limits', 'keys.html'],
  ['burst', 'strategies/gcra.html'],
  ['credential stuffing', 'keys.html'],
  ['limit per month', 'calendars.html'],
  ['heroku', 'keys.html'],
  ['django', 'serve.html'],
  ['remix', 'fetch.html'],
  ['adonis', 'node-http.html'],
  ['apollo server', 'graphql.html'],
  ['datadog', 'metrics.html'],
  ['supertest', 'testing.html'],
  ['feature comparison', 'which-limiter.html'],
  ['alternative to rate-limiter-flexible', 'which-limiter.html'],
  ['what limit should I set', 'sizing.html'],
  ['license', 'index.html'],
  ['benchmark', 'performance.html'],
  ['nat office many users one ip', 'keys.html'],
])('a search for “%s” finds %s', (asked, page) => {
  expect(firstOf(asked, 3).map((url) => url.split('#')[0])).toContain(page)
})

test('words such as “a” and “how to” count only where nothing else is asked', () => {
  const found = searchOf([
    ['one.html', 'One', 'A user', 'of a server', 1],
    ['two.html', 'Two', 'Reset', 'Users who are refused', 1],
    ['three.html', 'Three', 'How to', '', 1],
  ])
  expect(found('how to reset a user').map(({ url }) => url)).toEqual(['two.html'])
  expect(found('how to').map(({ url }) => url)).toContain('three.html')
})

test('a search finds what has a synonym of a word, behind what has the word', () => {
  const found = searchOf([
    ['one.html', 'One', 'Stop a server', '', 1],
    ['two.html', 'Two', 'Shutdown of a server', '', 1],
    ['three.html', 'Three', 'A server', '', 1],
  ])
  expect(found('shutdown server').map(({ url }) => url)).toEqual(['two.html', 'one.html'])
})

test('the section on all servers comes before that on one framework', () => {
  expect(firstOf('graceful shutdown', 1)).toEqual(['reliability.html#startup-and-graceful-shutdown'])
})

test('a section with most of the words is found, behind one with all of them', () => {
  const found = searchOf([
    ['one.html', 'One', 'Red apples', '', 1],
    ['two.html', 'Two', 'Apples', 'red and ripe', 1],
    ['three.html', 'Three', 'Red', '', 1],
  ])
  expect(found('ripe red apples').map(({ url }) => url)).toEqual(['two.html', 'one.html'])
})

test('a word that has many synonyms in a section counts once', () => {
  const found = searchOf([
    ['one.html', 'One', 'Login', 'password credentials brute', 1],
    ['two.html', 'Two', 'Login limits', 'password', 1],
  ])
  expect(found('login limits').map(({ url }) => url)).toEqual(['two.html'])
  expect(found('bruteforce limits').map(({ url }) => url)).toEqual(['two.html'])
})

test('a search finds the other forms of a word, behind the word itself, and the words of a name in camel case', () => {
  const found = searchOf([
    ['one.html', 'One', 'Stopped proxies', '', 1],
    ['two.html', 'Two', 'Stop a proxy', '', 1],
    ['three.html', 'Three', 'slidingWindowLog', '', 1],
  ])
  expect(found('stop proxy').map(({ url }) => url)).toEqual(['two.html', 'one.html'])
  expect(found('sliding windows').map(({ url }) => url)).toEqual(['three.html'])
})

test('what explains comes before what is looked up', () => {
  const found = searchOf([
    ['api.html', 'Reference', 'Apples', 'apples', 0.4],
    ['one.html', 'Guide', 'Apples', '', 1],
  ])
  expect(found('apples').map(({ url }) => url)).toEqual(['one.html', 'api.html'])
})

test.each([
  ['docs/keys.md', true],
  ['packages/telemetry/ops/README.md', true],
  ['packages/core/README.md', false],
  ['docs/moving/koa-ratelimit.md', false],
  ['docs/api.md', false],
])('%s explains: %s', (file, explains) => {
  expect(isExplanation(file)).toBe(explains)
})

test.each([
  [['limit', 'limits', 'limited', 'limiting']],
  [['stop', 'stops', 'stopped', 'stopping']],
  [['policy', 'policies']],
  [['address', 'addresses']],
])('%j are one word', (forms) => {
  expect(new Set(forms.map(stem)).size).toBe(1)
})

test.each(['leak leaky', 'bus bu'])('of “%s” each is a word of its own', (both) => {
  expect(new Set(both.split(' ').map(stem)).size).toBe(2)
})

test('a line that was pasted is found where it stands', () => {
  const found = searchOf([
    ['one.html', 'Asked', 'Not asked any more', 'It is asked', 1],
    ['two.html', 'Two', '', 'the log says: not asked any more, as it failed', 1],
  ])
  expect(found('store not asked any more, as it failed').map(({ url }) => url)[0]).toBe('two.html')
})

test('a search for words that no section has together finds those with any of them', () => {
  const found = searchOf([
    ['one.html', 'One', 'Apples', '', 1],
    ['two.html', 'Two', 'Pears', '', 1],
  ])
  expect(found('apples pears').map(({ url }) => url)).toEqual(['one.html', 'two.html'])
})

test('a word is no synonym of itself', () => {
  expect(synonymsOf('CommonJS')).toEqual(['cjs', 'require'])
  expect(synonymsOf('sluice')).toEqual([])
})
