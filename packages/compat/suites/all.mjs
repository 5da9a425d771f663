// Whether the runner of each library's own tests works: on the checkout that lies in the folder SLUICE_SUITES under the name of that
// library's file here, and otherwise on a stand-in.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { run } from '../../../scripts/child.mjs'
import { peers } from './peers.mjs'

const { SLUICE_SUITES: suites } = process.env

for (const peer of peers) {
  const checkout = suites === undefined ? '' : path.join(suites, peer)
  const given = existsSync(checkout) ? checkout : 'stand-in'
  const { code, output, seconds } = await run(
    process.execPath,
    [path.join(import.meta.dirname, 'run.mjs'), peer, given],
    { capture: true },
  )
  console.log(`${code === 0 ? 'ok    ' : 'not ok'}  ${peer}, ${given} (${seconds.toFixed(1)} s)`)
  if (code === 0) continue
  console.log(output.trimEnd())
  process.exitCode = 1
}
