import { expect, it } from '@jest/globals'
import { loadFramework } from '../../src/crowd/zoo/frameworks.ts'
import { UsageError } from '../../src/exit-code.ts'

function failing(error: Error): { packages: readonly string[]; load: () => Promise<never> } {
  return { packages: ['koa', '@sluice/koa'], load: () => Promise.reject(error) }
}

it('says what to install where a framework is missing', async () => {
  const missing = Object.assign(new Error("Cannot find package 'koa'"), { code: 'ERR_MODULE_NOT_FOUND' })
  await expect(loadFramework('koa', failing(missing))).rejects.toThrow(
    new UsageError('--framework koa needs what is not installed: npm install koa @sluice/koa'),
  )
})

it('passes on what else is wrong', async () => {
  const other = new Error('broken')
  await expect(loadFramework('koa', failing(other))).rejects.toBe(other)
})
