#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { run } from './program.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

// The reader of a pipe may exit first, as in `sluice validate limits.yaml | head`.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

process.exitCode = await run(process.argv.slice(2), String(version))
