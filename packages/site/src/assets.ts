import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build, type Plugin } from 'esbuild'

/** The dashboard's files by their names, as scripts/build-pages.mjs reads them. */
export type DashboardPages = Readonly<Record<string, { readonly body: string }>>

const scripts = ['theme', 'site', 'playground']

/** Writes styles, scripts and pictures to `out`. */
export async function writeAssets(
  { root, page }: { readonly root: string; readonly page: string },
  out: string,
  dashboard: DashboardPages,
): Promise<void> {
  const assets = path.join(out, 'assets')
  mkdirSync(assets, { recursive: true })
  await build({
    entryPoints: scripts.map((name) => path.join(page, `${name}.js`)).filter(existsSync),
    outdir: assets,
    bundle: true,
    minify: true,
    format: 'iife', // a module is not loaded from a file
    target: 'es2022',
    platform: 'browser',
    conditions: ['sluice-source'],
    legalComments: 'inline',
    plugins: [fromDashboard(dashboard)],
    logLevel: 'warning',
    // It asks where its file is, to look for a package beside it.
    logOverride: { 'empty-import-meta': 'silent' },
  })
  const style = (name: string): string => dashboard[name]?.body ?? readFileSync(path.join(page, name), 'utf8')
  writeFileSync(
    path.join(assets, 'site.css'),
    [switchable(style('tokens.css')), style('button.css'), style('site.css')].join('\n'),
  )
  const charts = ['uplot.css', 'chart.css', 'playground.css'].map(style)
  writeFileSync(path.join(assets, 'playground.css'), charts.join('\n'))
  copyFileSync(path.join(root, 'packages/dashboard/page/mark.svg'), path.join(assets, 'mark.svg'))
  cpSync(path.join(root, 'docs/images'), path.join(out, 'images'), { recursive: true })
}

/** The charts of the dashboard are those of the playground: what is not in the page's own folder is the dashboard's. */
function fromDashboard(dashboard: DashboardPages): Plugin {
  return {
    name: 'dashboard',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\/[\w-]+\.js$/ }, ({ path: name, resolveDir }) => {
        const file = path.basename(name)
        if (existsSync(path.join(resolveDir, file)) || dashboard[file] === undefined) return undefined
        return { path: file, namespace: 'dashboard' }
      })
      onLoad({ filter: /.*/, namespace: 'dashboard' }, ({ path: file }) => ({
        contents: dashboard[file]?.body ?? '',
        loader: 'js',
      }))
    },
  }
}

const darkBlock = /@media \(prefers-color-scheme: dark\) \{\n {2}:root \{([^}]*)\}\n\}/

/** The dashboard's colours follow the system; here a switch may choose otherwise. */
function switchable(tokens: string): string {
  const [block, dark] = darkBlock.exec(tokens) ?? []
  if (block === undefined || dark === undefined)
    throw new Error('tokens.css: its dark colours were not found.')
  const following = `@media (prefers-color-scheme: dark) {\n  :root:not([data-theme="light"]) {${dark}}\n}`
  const chosen = `:root[data-theme="dark"] {${dark}}\n:root[data-theme="dark"] { color-scheme: dark; }\n:root[data-theme="light"] { color-scheme: light; }`
  return tokens.replace(block, `${following}\n\n${chosen}`)
}
