import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { referenceSource } from './reference-page.ts'
import type { Source } from './sources.ts'

/** Not for users, or for those of the command line. */
const without = /^(\w+\/src\/internal|cli)\//

/** The reference made from the types of all packages that are published: its index first, then a page for each export. */
export function readReference(root: string, own: string): readonly Source[] {
  const out = mkdtempSync(path.join(tmpdir(), 'sluice-types-'))
  try {
    const options = path.join(out, 'typedoc.json')
    writeFileSync(options, JSON.stringify(optionsFor(root, out)))
    execFileSync(process.execPath, [typedocProgram(own), '--options', options], {
      cwd: own,
      stdio: 'inherit',
    })
    return pagesIn(path.join(out, 'pages'))
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

function typedocProgram(own: string): string {
  return path.join(own, 'node_modules/typedoc/bin/typedoc')
}

function optionsFor(root: string, out: string): object {
  return {
    entryPoints: entryPoints(root),
    basePath: path.join(root, 'packages'),
    tsconfig: path.join(root, 'tsconfig.sources.json'),
    plugin: ['typedoc-plugin-markdown'],
    out: path.join(out, 'pages'),
    // The project has checked its types already, with its own compiler.
    skipErrorChecking: true,
    validation: false,
    logLevel: 'Warn',
    name: 'From the types',
    readme: 'none',
    disableGit: true,
    disableSources: true,
    excludeInternal: true,
    outputFileStrategy: 'members',
    entryFileName: 'index',
    hidePageHeader: true,
    useCodeBlocks: true,
    parametersFormat: 'table',
  }
}

/** The files behind the entries of each package.json. */
function entryPoints(root: string): readonly string[] {
  const packages = path.join(root, 'packages')
  return readdirSync(packages).flatMap((name) => {
    const manifest = path.join(packages, name, 'package.json')
    if (!existsSync(manifest)) return []
    const { exports = {}, private: isPrivate = false } = JSON.parse(readFileSync(manifest, 'utf8'))
    if (isPrivate) return []
    return Object.values<Record<string, string> | string>(exports).flatMap((entry) => {
      const source = typeof entry === 'string' ? undefined : entry['sluice-source']
      if (source === undefined || without.test(path.posix.join(name, source))) return []
      return path.join(packages, name, source)
    })
  })
}

function pagesIn(folder: string): readonly Source[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.split(path.sep).join('/'))
    .sort((a, b) => Number(b === 'index.md') - Number(a === 'index.md') || a.localeCompare(b))
  return files.map((name) => referenceSource(name, readFileSync(path.join(folder, name), 'utf8')))
}
