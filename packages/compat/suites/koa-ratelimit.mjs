const retryAfter = 'It expects Retry-After: 0, at which a client comes back too early: here it is rounded up.'

/** koa-ratelimit 5.1.0 */
export const suite = {
  copies: ['test'],
  needs: ['koa', 'ioredis', 'mocha', 'should', 'supertest'],
  // Before 9.2 mocha writes its report to no file.
  versions: { mocha: '^11.0.0' },
  redis: true,
  files: { 'index.js': "module.exports = require('@sluice/compat/koa-ratelimit')\n" },
  // Between tests they delete all keys that begin with theirs.
  change: (text, _name, { port }) =>
    text.replaceAll('new Redis()', `new Redis(${port})`).replaceAll('limit:*', '*limit:*'),
  run: ({ results }) => ({
    command: [
      'npx',
      'mocha',
      '-r',
      'should',
      '--exit',
      '--reporter',
      'json',
      '--reporter-option',
      `output=${results}`,
    ],
  }),
  cannot: {
    'ratelimit middleware with memory driver limit with throw responds with 429 when rate limit is exceeded':
      retryAfter,
    'ratelimit middleware with redis driver limit with throw responds with 429 when rate limit is exceeded':
      retryAfter,
  },
}
