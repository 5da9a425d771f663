import path from 'node:path'
import { parseArgs, types } from 'node:util'
import { Complaint } from './complaint.ts'
import { type FrameworkName, frameworks, isFramework } from './frameworks.ts'

export const usage = `Usage: npm start -- [flags]

  --framework express|fastify|koa  the framework to use (or FRAMEWORK; express)
  --port 3000                      0 means any free port (or PORT; 3000)
  --host 127.0.0.1                 0.0.0.0 accepts other machines (127.0.0.1)
  --hosts zoo.example              host names of the dashboard besides localhost, separated by commas,
                                     as forwarded by a proxy on this machine
  --redis redis://localhost:6379   where to count, together with other processes (or REDIS_URL; in memory);
                                   repeated, or with commas in REDIS_URL: servers of a Redis Cluster
  --limits limits.yaml             a file with limits such as examples/zoo/limits.yaml, which may be
                                   edited while the zoo runs (or LIMITS; the zoo's own limits)
  --lists lists.yaml               a file with lists of addresses and keys to deny, block or allow, which
                                   may be edited while the zoo runs
  --supper 1                       for how many seconds an order of the Meerkat supper is served (1): the longer,
                                     the sooner its queue is full
  --no-crowd                       turns off the load-test endpoint for \`sluice crowd\`
  --help                           prints this help

A flag overrides its variable. Ctrl-C ends the zoo after all requests have been answered; a second Ctrl-C at once.`

export interface Flags {
  readonly help: boolean
  readonly framework: FrameworkName
  readonly port: number
  readonly host: string
  /** Host names of the dashboard. undefined: its default. */
  readonly hosts: readonly string[] | undefined
  /** None means in memory, several mean a cluster. */
  readonly redis: readonly string[]
  /** An absolute path. */
  readonly limits: string | undefined
  /** An absolute path. */
  readonly lists: string | undefined
  /** How long it takes to serve an order that comes through the queue. */
  readonly supperMs: number
  /** Whether the load-test endpoint is on. */
  readonly crowd: boolean
}

/** A value, and its source for error messages. */
interface Given {
  readonly from: string
  readonly value: string
}

/** Throws a Complaint. */
export function readFlags(args: readonly string[], env: NodeJS.ProcessEnv): Flags {
  const values = parse(args)
  const given = (flag: 'framework' | 'port' | 'limits', variable: string): Given | undefined => {
    const value = values[flag]
    if (value !== undefined) return { from: `--${flag}`, value }
    // An empty variable counts as not set.
    return env[variable] ? { from: variable, value: env[variable] } : undefined
  }
  return {
    help: values.help ?? false,
    framework: readFramework(given('framework', 'FRAMEWORK')),
    port: readPort(given('port', 'PORT')),
    host: values.host ?? '127.0.0.1',
    hosts: readHosts(values.hosts),
    redis: values.redis ? readRedis('--redis', values.redis) : readRedisUrl(env.REDIS_URL),
    limits: readLimits(given('limits', 'LIMITS'), env),
    lists: values.lists === undefined ? undefined : fileOf({ from: '--lists', value: values.lists }, env),
    supperMs: readSupper(values.supper),
    crowd: !values['no-crowd'],
  }
}

const text = { type: 'string' } as const
const options = {
  framework: text,
  port: text,
  host: text,
  hosts: text,
  redis: { ...text, multiple: true },
  limits: text,
  lists: text,
  supper: text,
  'no-crowd': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

function parse(args: readonly string[]): ReturnType<typeof parseArgs<{ options: typeof options }>>['values'] {
  try {
    return parseArgs({ args: [...args], options, strict: true }).values
  } catch (error) {
    throw new Complaint(2, complaint(types.isNativeError(error) ? error.message : String(error)))
  }
}

/** The first sentence of what parseArgs says. It reads a word without a flag where npm has kept the flag for itself. */
function complaint(message: string): string {
  const [sentence] = message.split(/\.\s|\n/)
  const hint = message.startsWith('Unexpected argument')
    ? 'flags stand behind a --, as in npm start -- --framework fastify'
    : 'npm start -- --help lists the flags'
  return `${sentence}: ${hint}.`
}

function readFramework(given: Given | undefined): FrameworkName {
  if (given === undefined) return 'express'
  if (isFramework(given.value)) return given.value
  throw expected(given, `one of ${Object.keys(frameworks).join(', ')}`)
}

function readPort(given: Given | undefined): number {
  if (given === undefined) return 3000
  const port = /^\d{1,5}$/.test(given.value) ? Number(given.value) : Number.NaN
  if (port <= 65_535) return port
  throw expected(given, 'a port from 0 to 65535')
}

function readHosts(value: string | undefined): readonly string[] | undefined {
  if (value === undefined || /^[\w.-]+(?:,[\w.-]+)*$/.test(value)) return value?.split(',')
  throw expected({ from: '--hosts', value }, 'names such as zoo.example, with commas between')
}

function readSupper(value = '1'): number {
  if (/^[1-9]\d{0,3}$/.test(value)) return Number(value) * 1000
  throw expected({ from: '--supper', value }, 'seconds from 1 to 9999')
}

function readRedisUrl(value: string | undefined): readonly string[] {
  // A password may contain commas.
  return value ? readRedis('REDIS_URL', value.split(/,\s*(?=rediss?:)/)) : []
}

/** The URLs may contain passwords, so errors do not show them. */
function readRedis(from: string, urls: readonly string[]): readonly string[] {
  if (!urls.every((url) => URL.canParse(url) && /^rediss?:\/\/[^/]/.test(url)))
    throw new Complaint(2, `${from}: expected a URL such as redis://localhost:6379.`)
  if (urls.length > 1 && !urls.every((url) => /^redis:\/\/[^/@?#]+\/?$/.test(url)))
    throw new Complaint(
      2,
      `${from}: expected redis://host:port, without a path, for each server of a cluster.`,
    )
  return urls
}

/** npm starts the zoo in the repository, whatever the current folder. */
function readLimits(given: Given | undefined, env: NodeJS.ProcessEnv): string | undefined {
  return given === undefined ? undefined : fileOf(given, env)
}

function fileOf(given: Given, { INIT_CWD = '' }: NodeJS.ProcessEnv): string {
  if (given.value !== '') return path.resolve(INIT_CWD, given.value)
  throw expected(given, `a file such as examples/zoo/${given.from === '--lists' ? 'lists' : 'limits'}.yaml`)
}

function expected({ from, value }: Given, what: string): Complaint {
  return new Complaint(2, `${from}: expected ${what}, got ${JSON.stringify(value)}.`)
}
