import { execFileSync } from 'node:child_process'
import { afterEach, describe, expect, it } from '@jest/globals'
import { bunProgram, denoProgram, type RunningWorker, serveWorker, workerdProgram } from '@sluice/runtimes'

const programs = { bun: bunProgram, deno: denoProgram, workerd: workerdProgram }

describe('the programs of other runtimes', () => {
  it.each(Object.entries(programs))('%s says its version', (_, program) => {
    expect(execFileSync(program(), ['--version'], { encoding: 'utf8' })).toMatch(/\d+\.\d+|\d+-\d+/)
  })
})

describe('a worker', () => {
  let worker: RunningWorker | undefined
  afterEach(() => worker?.close())

  it('answers, and finds what it was given', async () => {
    const module = "export default { fetch: (_, env) => new Response(env.NAME + ' ' + typeof process) }"
    worker = await serveWorker(module, { env: { NAME: 'a "name"' } })
    expect(await (await fetch(worker.url)).text()).toBe('a "name" undefined')
  })

  it('that is no module fails with what workerd says', async () => {
    await expect(serveWorker('not a module')).rejects.toThrow(/workerd did not start: .*SyntaxError/s)
  })
})
