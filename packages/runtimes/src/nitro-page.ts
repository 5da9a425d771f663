import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { installedIn } from '@sluice/faults/packed'
import { nodeProgram } from './binaries.ts'
import { programsOf } from './page-programs.ts'
import { type RuntimeServer, runIn, started } from './server.ts'

const apps = path.join(__dirname, '../apps')

export interface NitroOfPage extends RuntimeServer {
  remove(): void
}

/** An application that Nitro serves: how it is built, and what is in it beside the plugin of the page. */
interface Application {
  /** The Node that builds and serves it. */
  readonly node: () => string
  readonly bin: string
  readonly plugin: string
  readonly config: string
  readonly settings: object
  readonly files: { readonly [file: string]: string }
}

const greets = (from: string) =>
  `import { eventHandler } from '${from}'\nexport default eventHandler(() => 'hello')`

const applications: Readonly<Record<'Nitro 2' | 'Nitro 3' | 'Nuxt 4', Application>> = {
  'Nitro 2': {
    node: () => process.execPath,
    bin: 'nitropack/dist/cli/index.mjs',
    plugin: 'server/plugins/limit.ts',
    config: 'nitro.config.ts',
    settings: { preset: 'node-server', srcDir: 'server' },
    files: { 'server/routes/index.ts': greets('h3') },
  },
  'Nitro 3': {
    node: () => process.execPath,
    bin: 'nitro/dist/cli/index.mjs',
    plugin: 'plugins/limit.ts',
    config: 'nitro.config.ts',
    settings: { preset: 'node-server' },
    files: { 'routes/index.ts': greets('nitro/h3') },
  },
  'Nuxt 4': {
    node: () => nodeProgram(22), // Nuxt asks for 22.19 or later
    bin: 'nuxt/bin/nuxt.mjs',
    plugin: 'server/plugins/limit.ts',
    config: 'nuxt.config.ts',
    settings: { telemetry: false },
    files: {
      'app/app.vue': '<template><p>hello</p></template>',
      'server/api/hello.ts': "export default defineEventHandler(() => 'hello')",
    },
  },
}

/** An application with the plugin of docs/fetch.md, and two rules that pass on to another server or redirect. */
export async function nitroOfPage(which: keyof typeof applications, upstream: string): Promise<NitroOfPage> {
  const { node, bin, plugin, config, settings, files } = applications[which]
  mkdirSync(path.join(apps, '.tmp'), { recursive: true })
  const cwd = mkdtempSync(path.join(apps, '.tmp/nitro-'))
  const routeRules = {
    '/old/**': { redirect: '/new' },
    '/proxied/**': { proxy: `${upstream}/**` },
  }
  const all = {
    'package.json': '{"private":true,"type":"module"}',
    [config]: `export default ${JSON.stringify({ compatibilityDate: '2026-01-01', routeRules, ...settings })}`,
    // So that nothing comes back while it is asked.
    [plugin]: (programsOf('fetch.md')[plugin] ?? '').replace("period: '1m'", "period: '30d'"),
    ...files,
  }
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(path.dirname(path.join(cwd, file)), { recursive: true })
    writeFileSync(path.join(cwd, file), text)
  }
  await installedIn(cwd, '@sluice/core', '@sluice/fetch', '@sluice/http')
  await runIn({ file: node(), args: [path.join(apps, 'node_modules', bin), 'build'], cwd })
  const server = await started({
    file: node(),
    args: ['.output/server/index.mjs'],
    cwd,
    env: { NITRO_PORT: '0', NITRO_HOST: '127.0.0.1' },
  })
  return { ...server, remove: () => rmSync(cwd, { recursive: true, force: true }) }
}
