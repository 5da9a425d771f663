import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { packed } from '../packed.mjs'

/** jest's global set-up: makes the tarballs in `SLUICE_TEST_TARBALLS` before tests install them below `SLUICE_TEST_INSTALLED_DIR`. */
export default async function packFirst() {
  process.env.SLUICE_TEST_TARBALLS = await packed()
  // Outside of this checkout, whose own packages a program would find.
  process.env.SLUICE_TEST_INSTALLED_DIR = mkdtempSync(path.join(tmpdir(), 'packed-'))
}
