#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { exitCode } from './exit-code.ts'
import { run } from './program.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

let unwritten = false
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of a pipe may exit first, as in `sluice validate limits.yaml | head`.
  if (error.code === 'EPIPE' || unwritten) return
  unwritten = true
  process.exitCode = exitCode.problems
  console.error(`error: cannot write the output (${error.message})`)
})
process.stderr.on('error', () => {})

const code = await run(process.argv.slice(2), String(version))
if (!unwritten) process.exitCode = code
