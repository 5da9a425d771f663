import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { installedIn } from '@sluice/faults/packed'
import { programsOf } from './page-programs.ts'
import { type RuntimeServer, runIn, started } from './server.ts'

const apps = path.join(__dirname, '../apps')

export interface NitroOfPage extends RuntimeServer {
  remove(): void
}

const versions = {
  2: { bin: 'nitropack/dist/cli/index.mjs', plugin: 'server/plugins/limit.ts', from: 'h3' },
  3: { bin: 'nitro/dist/cli/index.mjs', plugin: 'plugins/limit.ts', from: 'nitro/h3' },
} as const

/** An application of Nitro with the plugin of docs/fetch.md, one route, and two rules that pass on to another server or redirect. */
export async function nitroOfPage(version: 2 | 3, upstream: string): Promise<NitroOfPage> {
  const { bin, plugin, from } = versions[version]
  mkdirSync(path.join(apps, '.tmp'), { recursive: true })
  const folder = mkdtempSync(path.join(apps, `.tmp/nitro-${version}-`))
  const base = path.dirname(path.dirname(plugin))
  const routeRules = {
    '/old/**': { redirect: '/new' },
    '/proxied/**': { proxy: `${upstream}/**` },
  }
  const config = { preset: 'node-server', compatibilityDate: '2026-01-01', routeRules }
  const files = {
    'package.json': '{"private":true,"type":"module"}',
    'nitro.config.ts': `export default ${JSON.stringify({ ...config, ...(base === '.' ? {} : { srcDir: base }) })}`,
    [path.join(base, 'routes/index.ts')]:
      `import { eventHandler } from '${from}'\nexport default eventHandler(() => 'hello')`,
    // So that nothing comes back while it is asked.
    [plugin]: (programsOf('fetch.md')[plugin] ?? '').replace("period: '1m'", "period: '30d'"),
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), text)
  }
  await installedIn(folder, '@sluice/core', '@sluice/fetch', '@sluice/http')
  await runIn(folder, [path.join(apps, 'node_modules', bin), 'build'], {})
  const server = await started({
    file: process.execPath,
    args: ['.output/server/index.mjs'],
    cwd: folder,
    env: { NITRO_PORT: '0', NITRO_HOST: '127.0.0.1' },
  })
  return { ...server, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
