import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { installedIn } from '@sluice/faults/packed'
import { transform } from 'esbuild'
import { installsOf, programsOf } from './page-programs.ts'
import { type RuntimeServer, runIn, started } from './server.ts'

const apps = path.join(__dirname, '../apps')

/** What the page leaves to its reader: a layout, a page with the action, a route without a limit, a static file. */
const rest = {
  'app/layout.js': `import { createElement } from 'react'
export default ({ children }) => createElement('html', null, createElement('body', null, children))`,
  'app/page.js': `import { createElement } from 'react'
import { comment } from './actions'
export default () => createElement('form', { action: comment }, 'a page')`,
  'app/api/free/route.js': `export const dynamic = 'force-dynamic'
export const GET = () => Response.json('free')`,
  'public/zoo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'jsconfig.json': '{"compilerOptions":{"paths":{"@/*":["./*"]}}}',
  'package.json': '{"private":true,"type":"module"}',
  'next.config.mjs': `const root = ${JSON.stringify(apps)} // Next.js is a link that leads out of this folder
export default { turbopack: { root }, outputFileTracingRoot: root }`,
  'serve.mjs': `import { createServer } from 'node:http'
import next from 'next'
const server = createServer()
const dev = process.env.NODE_ENV === 'development'
const app = next({ dev, dir: import.meta.dirname, httpServer: server, hostname: '127.0.0.1' })
await app.prepare()
server.on('request', app.getRequestHandler())
server.listen(0, '127.0.0.1', () => console.log(\`listening on \${server.address().port}/\`))`,
}

export interface NextOfPage {
  readonly folder: string
  /** With names of its actions, once built. */
  actionId(): string
  start(mode: 'built' | 'development', redis: string): Promise<RuntimeServer>
  write(file: string, code: string): Promise<void>
  remove(): void
}

/** The application of docs/next.md, for one version of Next.js. */
export async function nextOfPage(version: 15 | 16): Promise<NextOfPage> {
  mkdirSync(path.join(apps, '.tmp'), { recursive: true })
  const folder = mkdtempSync(path.join(apps, `.tmp/next-${version}-`))
  const put = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), text)
  }
  const write = async (file: string, code: string) =>
    put(file.replace(/\.ts$/, '.js'), (await transform(code, { loader: 'ts' })).code)
  for (const [file, text] of Object.entries(rest)) put(file, text)
  const other = version === 16 ? 'middleware.ts' : 'proxy.ts'
  for (const [file, code] of Object.entries(programsOf('next.md')))
    if (file !== other) await write(file, code)
  // What is not ours is found above, in `apps`: Next.js wants all packages below one folder.
  await installedIn(folder, ...installsOf('next.md').filter((name) => name.startsWith('@sluice/')))
  const next = path.join(apps, 'node_modules', version === 16 ? 'next' : 'next-15')
  symlinkSync(next, path.join(folder, 'node_modules/next'))
  return {
    folder,
    write,
    actionId: () => idOfAction(path.join(folder, '.next')),
    async start(mode, redis) {
      const env = { NEXT_TELEMETRY_DISABLED: '1', REDIS_URL: redis }
      const args = ['node_modules/next/dist/bin/next', 'build']
      const building = { file: process.execPath, args, cwd: folder, env: { ...env, NODE_ENV: 'production' } }
      if (mode === 'built') await runIn(building)
      return started({
        file: process.execPath,
        args: ['serve.mjs'],
        cwd: folder,
        env: { ...env, NODE_ENV: mode === 'built' ? 'production' : 'development' },
      })
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** In development Next.js writes into a folder of its own. */
function idOfAction(built: string): string {
  const files = ['', 'dev'].map((each) => path.join(built, each, 'server/server-reference-manifest.json'))
  const text = readFileSync(files.find((each) => existsSync(each)) ?? '', 'utf8')
  const { node } = JSON.parse(text) as { node: Record<string, unknown> } // Next.js has written it
  return Object.keys(node)[0] ?? ''
}
