import type { Source } from './sources.ts'

export interface Group {
  readonly title: string
  readonly entries: readonly Entry[]
}

export interface Entry {
  readonly title: string
  readonly url: string
}

interface Plan {
  readonly title: string
  /** Whether readers come here with a name, of an export or of another library, to look it up. */
  readonly lookedUp?: true
  /** Files in their order; one that ends with `/` stands for all of its folder that are named nowhere else. */
  readonly files: readonly string[]
}

/** Where each page stands: in the order in which a reader needs it. */
const plan: readonly Plan[] = [
  { title: 'Start', files: ['README.md', 'docs/which-limiter.md', 'docs/http.md', 'docs/keys.md'] },
  {
    title: 'Frameworks and runtimes',
    files: [
      'docs/nest.md',
      'docs/fetch.md',
      'docs/next.md',
      'docs/workers.md',
      'docs/node-http.md',
      'docs/websockets.md',
      'docs/trpc.md',
      'docs/graphql.md',
      'docs/runtimes.md',
    ],
  },
  {
    title: 'Strategies',
    files: ['docs/strategies/README.md', 'docs/strategies/', 'docs/own-strategy.md'],
  },
  {
    title: 'Guides',
    files: [
      'docs/sizing.md',
      'docs/logs.md',
      'docs/host.md',
      'docs/hot-keys.md',
      'docs/together.md',
      'docs/prices.md',
      'docs/calendars.md',
      'docs/parts.md',
      'docs/blocking.md',
      'docs/waiting.md',
      'docs/limits.md',
      'docs/queues.md',
      'docs/testing.md',
      'docs/own-store.md',
    ],
  },
  {
    title: 'In production',
    files: [
      'docs/incident.md',
      'docs/operations.md',
      'docs/lists.md',
      'docs/changing-limits.md',
      'docs/reliability.md',
      'docs/adaptive.md',
      'docs/cluster.md',
      'docs/plan.md',
      'docs/serve.md',
      'docs/envoy.md',
      'docs/nginx.md',
      'docs/kubernetes.md',
      'docs/regions.md',
      'docs/upgrading.md',
      'packages/telemetry/ops/README.md',
      'SECURITY.md',
    ],
  },
  {
    title: 'Watching',
    files: ['docs/seeing.md', 'docs/dashboard.md', 'docs/metrics.md', 'docs/recording.md', 'docs/crowd.md'],
  },
  { title: 'From another library', lookedUp: true, files: ['docs/moving/'] },
  {
    title: 'Reference',
    lookedUp: true,
    files: ['docs/api.md', 'docs/errors.md', 'docs/glossary.md', 'docs/cost.md', 'docs/performance.md'],
  },
  { title: 'Packages', lookedUp: true, files: ['packages/'] },
  {
    title: 'How it is built',
    lookedUp: true,
    files: ['docs/design.md', 'docs/inside.md', 'lua/README.md', 'CONTRIBUTING.md', 'examples/zoo/README.md'],
  },
]

/** Titles that are shorter in the navigation than on the page. */
const shortTitles: Readonly<Record<string, string>> = {
  'README.md': 'Overview',
  'docs/strategies/README.md': 'All strategies',
  'docs/api.md': 'All exports',
}

/** Pages that no group has: a page of docs/ gets its place by a line above. */
export function withoutPlace(sources: readonly Source[]): readonly string[] {
  const placed = new Set(plan.flatMap((group) => filesOf(group, sources)).map(({ file }) => file))
  return sources.map(({ file }) => file).filter((file) => !placed.has(file))
}

/** Whether readers come to a page to learn how something is done. */
export function isExplanation(file: string): boolean {
  const { lookedUp = false } =
    plan.find(({ files }) => files.includes(file)) ??
    plan.find(({ files }) => files.some((folder) => folder.endsWith('/') && file.startsWith(folder))) ??
    {}
  return !lookedUp
}

export function navigation(sources: readonly Source[]): readonly Group[] {
  const lost = withoutPlace(sources)
  const groups = plan.map((group) => ({ title: group.title, entries: filesOf(group, sources).map(entryOf) }))
  const rest = sources.filter(({ file }) => lost.includes(file)).map(entryOf)
  return [...groups, { title: 'More', entries: rest }].filter(({ entries }) => entries.length > 0)
}

function filesOf({ files }: Plan, sources: readonly Source[]): readonly Source[] {
  const named = plan.flatMap((group) => group.files)
  return files.flatMap((file) =>
    sources.filter((source) =>
      file.endsWith('/')
        ? source.file.startsWith(file) && !named.includes(source.file)
        : source.file === file,
    ),
  )
}

function entryOf({ file, title, url }: Source): Entry {
  const [, packageName] = /^packages\/([^/]+)\/README\.md$/.exec(file) ?? []
  return { title: shortTitles[file] ?? packageName ?? title.replace(/^(Moving from|From) /, ''), url }
}
