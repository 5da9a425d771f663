import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { jest } from '@jest/globals'
import { type Browser, chromium } from 'playwright-core'

// A page takes its time where the machine is busy.
jest.setTimeout(40_000)

/** The path of Chromium, installed if need be: scripts are ES modules, which tests cannot import. */
function chromiumPath(): string {
  const programs = JSON.stringify(path.join(import.meta.dirname, '../../../scripts/programs.mjs'))
  const code = `import { chromium } from ${programs}; process.stdout.write(chromium())`
  return execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' })
}

/** For `beforeAll`; importing it gives all tests of the file the time that a browser needs. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
}
