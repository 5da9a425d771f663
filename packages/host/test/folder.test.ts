import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { realClock } from '@sluice/core/internal'
import { readFolder } from '../src/folder.ts'
import { Here } from './here.ts'

let here: Here
beforeEach(() => {
  here = new Here()
})
afterEach(() => here.close())

it.each([0o755, 0o770, 0o701])('a folder that others can enter is an error (mode %i)', async (mode) => {
  mkdirSync(here.folder)
  chmodSync(here.folder, mode)
  const warned: string[] = []
  const store = here.store(realClock)
  store.watch({ event: () => {}, warned: ({ code }) => warned.push(code) })
  await expect(store.ready()).rejects.toMatchObject({ code: 'SLUICE_STORE' })
  expect(warned).toEqual(['SLUICE_HOST_FOLDER'])
})

it('a link that somebody has put in the place of the folder is an error', async () => {
  const elsewhere = path.join(path.dirname(here.folder), 'elsewhere')
  mkdirSync(elsewhere, { mode: 0o700 })
  symlinkSync(elsewhere, here.folder)
  await expect(here.store(realClock).ready()).rejects.toThrow('must be a folder of user')
})

it('processes whose programs are in one package share a folder, below that for temporary files', () => {
  const folder = readFolder(undefined)
  expect(path.isAbsolute(folder)).toBe(true)
  expect(path.basename(folder)).toMatch(/^sluice-\d+-[0-9a-f]{12}$/)
  expect(readFolder(undefined)).toBe(folder)
})
