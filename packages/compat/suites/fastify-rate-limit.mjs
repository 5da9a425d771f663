import path from 'node:path'
import { pathToFileURL } from 'node:url'

const reporter = pathToFileURL(path.join(import.meta.dirname, 'node-test.cjs')).href

const optionError = 'It expects the words of an error: here it is an OptionError, in other words.'
const unavailable =
  'It expects 500 with the words of ioredis while Redis is away: here skipOnError: false answers 503.'

/** @fastify/rate-limit 11.2.0 */
export const suite = {
  copies: ['test'],
  needs: ['fastify', 'ioredis'],
  redis: true,
  results: 'results.jsonl',
  files: { 'index.js': "module.exports = require('@sluice/compat/fastify-rate-limit')\n" },
  change: (text, _name, { port }) =>
    text.replaceAll('new Redis({ host: REDIS_HOST })', `new Redis({ host: REDIS_HOST, port: ${port} })`),
  run: ({ results }) => ({
    command: [
      process.execPath,
      '--test',
      '--test-concurrency=1',
      `--test-reporter=${reporter}`,
      `--test-reporter-destination=${results}`,
    ],
  }),
  cannot: {
    'create-rate-limit › With { increment: false } and exponentialBackoff the peek reports the base window without escalating it':
      'It expects a key to be admitted after one timeWindow although a longer wait was announced: here it waits that long.',
    'exponential-backoff › MAx safe Exponential Backoff':
      'It has a timeWindow of 285421 years: here 366 days are the longest.',
    'group-rate-limit › Invalid groupId type': optionError,
    'redis-rate-limit › Global rate limit › Throw on redis error': unavailable,
    'redis-rate-limit › Global rate limit › With { increment: false } it throws on redis error':
      'It expects 500 while Redis is away: here this process counts meanwhile.',
    'redis-rate-limit › Route rate limit › Throw on redis error': unavailable,
    'route-rate-limit › no rate limit with bad rate-limit parameters': optionError,
  },
}
