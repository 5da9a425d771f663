import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { pages } from '../../dashboard/src/pages.generated.ts'
import { writeAssets } from '../src/assets.ts'

const root = path.resolve(__dirname, '../../..')

// No compiler reads the scripts of pages.
it('every script of the pages finds what it imports', async () => {
  const out = mkdtempSync(path.join(tmpdir(), 'sluice-assets-'))
  try {
    await writeAssets({ root, page: path.join(root, 'packages/site/page') }, out, pages)
    expect(readdirSync(path.join(out, 'assets'))).toEqual(
      expect.arrayContaining(['playground.js', 'site.css', 'site.js', 'theme.js']),
    )
  } finally {
    rmSync(out, { recursive: true })
  }
})
