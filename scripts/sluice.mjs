#!/usr/bin/env node
import { buildLua } from './build-lua.mjs'
// `npx sluice` in a checkout: the command from its sources.
import { buildPages } from './build-pages.mjs'
import { run } from './child.mjs'
import { installForZoo } from './setup.mjs'

installForZoo()
buildLua()
buildPages()
const program = ['--conditions=sluice-source', '--import', 'tsx', 'packages/cli/src/main.ts']
const { code } = await run(process.execPath, [...program, ...process.argv.slice(2)], { foreground: true })
process.exitCode = code
