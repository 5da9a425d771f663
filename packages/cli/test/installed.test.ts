import { expect, it } from '@jest/globals'
import { UsageError } from '../src/exit-code.ts'
import { loadInstalled } from '../src/installed.ts'

function failing(error: Error): Promise<never> {
  return loadInstalled('--framework koa', ['koa', '@sluice/koa'], () => Promise.reject(error))
}

it('says what to install where a package is missing', async () => {
  const missing = Object.assign(new Error("Cannot find package 'koa'"), { code: 'ERR_MODULE_NOT_FOUND' })
  await expect(failing(missing)).rejects.toThrow(
    new UsageError(
      '--framework koa needs what is not installed: npm install koa @sluice/koa, or with npx: --package koa --package @sluice/koa',
    ),
  )
})

it('passes on what else is wrong', async () => {
  const other = new Error('broken')
  await expect(failing(other)).rejects.toBe(other)
})
