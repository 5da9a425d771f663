import { spawn } from 'node:child_process'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { scripts } from './small-project.ts'

/** Runs a program that does not end by a signal, as jest does not while its workers are busy. */
const runner = `
const { run } = await import(${JSON.stringify(path.join(scripts, 'child.mjs'))})
const stubborn = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('runs ' + process.pid)"
const { code } = await run(process.execPath, ['-e', stubborn], { graceMs: 50 })
console.log('it has ended with ' + code)
`

it('kills what a signal does not end, and says so by its exit code', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', runner])
  let said = ''
  for await (const chunk of child.stdout) {
    said += chunk
    if (/runs \d+\n$/.test(said)) child.kill('SIGTERM')
  }
  expect(said).toMatch(/^runs \d+\nit has ended with 137\n$/)
})
