import { rmSync } from 'node:fs'

/** jest's global tear-down: removes what was installed. */
export default function removeInstalled() {
  rmSync(process.env.SLUICE_TEST_INSTALLED_DIR, { recursive: true, force: true })
}
