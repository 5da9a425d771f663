import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from '@jest/globals'

const root = path.resolve(__dirname, '../../..')

// No compiler reads the scripts of pages.
it('every script of the pages finds what it imports', () => {
  const out = mkdtempSync(path.join(tmpdir(), 'sluice-assets-'))
  const program = `
    import { readPages } from './scripts/build-pages.mjs'
    import { writeAssets } from './packages/site/src/assets.ts'
    await writeAssets({ root: '.', page: 'packages/site/page' }, ${JSON.stringify(out)}, readPages())`
  try {
    const flags = ['--conditions=sluice-source', '--import', 'tsx', '--input-type=module', '-e', program]
    execFileSync(process.execPath, flags, { cwd: root, stdio: 'pipe' })
    expect(readdirSync(path.join(out, 'assets'))).toEqual(
      expect.arrayContaining(['playground.js', 'site.css', 'site.js', 'theme.js']),
    )
  } finally {
    rmSync(out, { recursive: true })
  }
})
