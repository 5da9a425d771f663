import { rmSync } from 'node:fs'

/** jest's global tear-down: removes the programs that were bundled. */
export default function removeBundles() {
  rmSync(process.env.SLUICE_TEST_BUNDLES_DIR, { recursive: true, force: true })
}
