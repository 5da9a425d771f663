import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildLua } from '../build-lua.mjs'
import { buildPages } from '../build-pages.mjs'

/**
 * jest's global set-up: `npx jest FILE` sees a changed Lua file or page as `npm test` does. Test files that start the same program
 * bundle it once, below `SLUICE_TEST_BUNDLES_DIR`.
 */
export default function generate() {
  buildLua()
  buildPages()
  process.env.SLUICE_TEST_BUNDLES_DIR = mkdtempSync(path.join(tmpdir(), 'bundles-'))
}
