const crowd = ['crowd', '4', '3', '--only', 'pair', '--seconds', '1']
const serve = ['serve', 'limits.yaml', '--grpc', '127.0.0.1:0', '--http', '127.0.0.1:0', '--drain', '1ms']
const fixed = ['--policy', 'slidingWindowLog:60/1m']
/** The sample that comes with the command line. */
export const log = 'node_modules/@sluice/cli/sample/access.log.gz'

/** Every command in each way that needs something else installed; `LOG` and `REDIS` are put in. */
// biome-ignore format: a table
export const commands: readonly (readonly [words: readonly string[], needs: readonly string[]])[] = [
  [['validate', 'limits.yaml'],                                                      []],
  [['explain', 'limits.yaml', 'user/alex'],                                          []],
  [['compare', 'LOG', ...fixed],                                                     []],
  [['compare', 'access.log', ...fixed, '--html', 'report.html'],                     []],
  [['compare', 'access.log', '--limits', 'limits.yaml', '--path', 'user/{ip}'],      []],
  [['compare', '--traffic', 'poisson:rate=5,clients=5,duration=10s', ...fixed],      []],
  [['plan', '--users', '1e6', '--rate', '50/d', ...fixed],                           []],
  [crowd,                                                                            []],
  [[...crowd, '--framework', 'express'],                                             ['express', '@sluice/express']],
  [[...crowd, '--framework', 'fastify'],                                             ['fastify', '@sluice/fastify']],
  [[...crowd, '--framework', 'koa'],                                                 ['koa', '@sluice/koa']],
  [[...crowd, '--redis', 'REDIS'],                                                   ['ioredis']],
  [serve,                                                                            ['@sluice/server']],
  [[...serve, '--url', 'REDIS'],                                                     ['@sluice/server', 'ioredis']],
  [['compare', '--recorded', 'login', ...fixed, '--url', 'REDIS'],                   ['ioredis']],
  [['top', '--once', '--url', 'REDIS'],                                              ['ioredis']],
  [['inspect', 'alice', '--url', 'REDIS'],                                           ['ioredis']],
  [['block', 'alice', '1h', '--url', 'REDIS'],                                       ['ioredis']],
  [['unblock', 'alice', '--url', 'REDIS'],                                           ['ioredis']],
  [['reset', 'alice', '--yes', '--url', 'REDIS'],                                    ['ioredis']],
  [['acts', '--url', 'REDIS'],                                                       ['ioredis']],
  [['deny', '203.0.113.0/24', '1d', '--url', 'REDIS'],                               ['ioredis']],
  [['refuse', 'alice', '10m', '--url', 'REDIS'],                                     ['ioredis']],
  [['allow', '192.0.2.7', '1h', '--url', 'REDIS'],                                   ['ioredis']],
  [['lists', '--url', 'REDIS'],                                                      ['ioredis']],
  [['unlist', '203.0.113.0/24', '--url', 'REDIS'],                                   ['ioredis']],
  [['limits', '--url', 'REDIS'],                                                     ['ioredis']],
  [['change', 'free', 'count=50', '--for', '2h', '--url', 'REDIS'],                  ['ioredis']],
  [['restore', 'free', '--url', 'REDIS'],                                            ['ioredis']],
]

/** What must be installed for a command line of a page: it names its Redis as the table does, or not at all. */
export function needsOf([name, ...rest]: readonly string[]): readonly string[] {
  const [most] = commands
    .filter(
      ([words]) =>
        words[0] === name && (name !== 'serve' || words.includes('--url') === rest.includes('--url')),
    )
    .sort(([, one], [, other]) => other.length - one.length)
  if (most === undefined) throw new Error(`no such command: ${name}`)
  return most[1]
}
