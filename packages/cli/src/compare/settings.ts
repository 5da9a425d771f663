import { oneOf, optionError } from '@sluice/core/internal'
import { readLimitsText } from '@sluice/limits'
import { UsageError } from '../exit-code.ts'
import type { ConnectionFlags } from '../live/connection.ts'
import { readText } from '../read-file.ts'
import { asUsage } from './as-usage.ts'
import type { Contender } from './candidate.ts'
import type { Asked } from './client/choose.ts'
import { trustOf } from './client/trust.ts'
import { type Keys, keysOf, pathOf, pickOf } from './keys.ts'
import { limitsContender } from './limits-candidate.ts'
import type { Parse } from './log/entry.ts'
import { formats, parserOf } from './log/format.ts'
import { policyContender } from './policy-candidate.ts'
import { policyData } from './policy-text.ts'
import { type RequestReader, requestReader } from './request-reader.ts'
import { type Aim, type AimFlags, readAim, readWellBehaved } from './suggest/aim.ts'
import type { Traffic } from './traffic/kinds.ts'
import { trafficOf } from './traffic/traffic.ts'

/** The command line as parsed by commander. */
export interface Flags extends AimFlags, ConnectionFlags {
  readonly path?: string
  readonly key: string
  readonly cost?: string
  readonly format: string
  readonly field: readonly string[]
  readonly client?: string
  readonly trust: readonly string[]
  readonly traffic?: string
  readonly recorded?: string
  readonly html?: string
}

export interface Settings {
  readonly logs: readonly string[]
  /** undefined if logs are read. */
  readonly traffic: { readonly text: string; readonly made: Traffic } | undefined
  /** Policies in the order of the command line, then the file of limits. */
  readonly contenders: readonly Contender[]
  /** undefined without `--suggest`. */
  readonly aim: Aim | undefined
  /** Share of all clients that counts as well-behaved. */
  readonly wellBehavedShare: number
  readonly keys: Keys
  readonly toRequest: RequestReader
  readonly parser: () => Parse
  /** Where clients' addresses are looked for. */
  readonly client: Asked
  readonly json: boolean
  readonly html: string | undefined
}

/** Throws a UsageError for an invalid command line, and a LimitsError for a file with problems. */
export function readSettings(logs: readonly string[], flags: Flags): Settings {
  const keys = asUsage(`--key ${flags.key}`, () => keysOf(flags.key))
  checkTogether(logs, flags)
  return {
    logs,
    traffic: flags.traffic === undefined ? undefined : readTraffic(flags.traffic),
    contenders: [...flags.policy.map((text) => readPolicy(text, keys)), ...readLimits(flags)],
    aim: readAim(flags),
    wellBehavedShare: readWellBehaved(flags),
    keys,
    toRequest: makeRequestReader(keys, flags),
    parser: readParser(flags),
    client: readClient(flags),
    json: flags.json === true,
    html: readPage(flags),
  }
}

function checkTogether(logs: readonly string[], flags: Flags): void {
  const { policy, limits, path, traffic, recorded, suggest } = flags
  if (policy.length === 0 && limits === undefined && suggest === undefined)
    throw new UsageError(
      'nothing to compare: give a policy, as in --policy gcra:100/1m, a file with --limits, or use --suggest',
    )
  if (limits !== undefined && path === undefined)
    throw new UsageError('--limits needs --path, the path to check in the file, as in --path user/{ip}')
  if (limits === undefined && path !== undefined)
    throw new UsageError('--path needs --limits, the file to check it in')
  if (new Set(logs).size < logs.length) throw new UsageError('each log may be named only once')
  if (traffic !== undefined && logs.length > 0)
    throw new UsageError('give either a log or --traffic, not both')
  if (recorded !== undefined && (logs.length > 0 || traffic !== undefined))
    throw new UsageError('--recorded replays what services have recorded: leave out logs and --traffic')
  if (recorded !== undefined && limits !== undefined)
    throw new UsageError('--recorded has the requests of one policy: leave out --limits')
}

function readTraffic(text: string): Settings['traffic'] {
  return { text, made: asUsage(`--traffic ${text}`, () => trafficOf(text)) }
}

function readPolicy(text: string, { keyedBy }: Keys): Contender {
  return asUsage(`--policy ${text}`, () => policyContender(policyData(text), text, keyedBy))
}

function readLimits({ limits: file, path }: Flags): readonly Contender[] {
  if (file === undefined || path === undefined) return []
  const text = readText(file)
  return [limitsContender({ file, text, tree: readLimitsText(text, file) }, path)]
}

function makeRequestReader({ client, key }: Keys, { cost, path }: Flags): RequestReader {
  return requestReader({
    client,
    key,
    cost: cost === undefined ? undefined : asUsage(`--cost ${cost}`, () => pickOf(cost, 'cost')),
    path: path === undefined ? undefined : asUsage(`--path ${path}`, () => pathOf(path)),
  })
}

function readParser({ format, field }: Flags): () => Parse {
  return parserOf(
    asUsage(`--format ${format}`, () => oneOf(format, 'format', formats)),
    namesIn(field),
  )
}

function namesIn(field: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(field.map((text) => asUsage(`--field ${text}`, () => assignment(text))))
}

function readClient({ client, field, trust }: Flags): Asked {
  if (client === '')
    throw new UsageError('--client needs the name of a field, or its number, as in --client 2')
  return {
    field: client ?? namesIn(field).ip,
    trusts: asUsage(`--trust ${trust.join(' ')}`, () => trustOf(trust)),
    named: trust.length > 0,
  }
}

/** Protects a log from being overwritten if the name of the page was left out. */
function readPage({ html }: Flags): string | undefined {
  if (html === undefined || /\.html?$/i.test(html)) return html
  throw new UsageError(
    `--html ${html}: expected a name that ends in .html, because an existing file is overwritten`,
  )
}

function assignment(text: string): readonly [string, string] {
  const [, name, place] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (name !== undefined && place !== undefined) return [name, place]
  throw optionError('field', 'a name and its place, such as ip=request.remote_ip', text)
}
