/** koa-ratelimit 5.1.0 */
export const suite = {
  copies: ['test'],
  needs: ['koa', 'ioredis', 'mocha', 'should', 'supertest'],
  redis: true,
  files: { 'index.js': "module.exports = require('@sluice/compat/koa-ratelimit')\n" },
  change: (text, _name, { port }) => text.replaceAll('new Redis()', `new Redis(${port})`),
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
  cannot: {},
}
