import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, it } from '@jest/globals'
import { installedIn } from '@sluice/faults/packed'
import { installsOf, programsOf } from '../../src/page-programs.ts'
import { runIn } from '../../src/server.ts'

const apps = path.join(__dirname, '../../apps')
const root = path.join(__dirname, '../../../..')
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** As create-next-app has it. */
const options = {
  target: 'es2022',
  lib: ['dom', 'esnext'],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  module: 'esnext',
  moduleResolution: 'bundler',
  moduleDetection: 'force',
  paths: { '@/*': ['./*'] },
  types: ['node'],
  typeRoots: [path.join(root, 'node_modules/@types')],
}

// docs/next.md is compiled here, and not with the other pages: nothing else needs Next.js, which is large.
it.each(['next', 'next-15'])('the programs of docs/next.md compile, with %s', async (version) => {
  mkdirSync(path.join(apps, '.tmp'), { recursive: true })
  const folder = mkdtempSync(path.join(apps, '.tmp/next-types-'))
  folders.push(folder)
  for (const [file, code] of Object.entries(programsOf('next.md'))) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), code)
  }
  await installedIn(folder, ...installsOf('next.md').filter((name) => name.startsWith('@sluice/')))
  symlinkSync(path.join(apps, 'node_modules', version), path.join(folder, 'node_modules/next'))
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  await expect(
    runIn({ file: process.execPath, args: [tsc, '-p', '.'], cwd: folder }),
  ).resolves.toBeUndefined()
})
