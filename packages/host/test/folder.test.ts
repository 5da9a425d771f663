import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
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

it('applications that PM2 has started have a folder for each package, as their files and not that of PM2 say', () => {
  const { argv } = process
  const folderUnder = (container: string, program: string): string => {
    process.argv = [argv[0] ?? '', path.join(path.dirname(here.folder), 'pm2', container)]
    process.env.pm_exec_path = path.join(path.dirname(here.folder), program)
    return readFolder(undefined)
  }
  for (const name of ['pm2', 'shop', 'blog']) {
    mkdirSync(path.join(path.dirname(here.folder), name))
    for (const file of ['package.json', 'index.js', 'ProcessContainer.js', 'ProcessContainerFork.js'])
      writeFileSync(path.join(path.dirname(here.folder), name, file), '{}')
  }
  try {
    const shop = folderUnder('ProcessContainer.js', 'shop/index.js')
    expect(folderUnder('ProcessContainerFork.js', 'shop/index.js')).toBe(shop)
    expect(folderUnder('ProcessContainer.js', 'blog/index.js')).not.toBe(shop)
    // What an application starts by itself inherits the variable.
    const child = folderUnder('index.js', 'shop/index.js')
    expect(folderUnder('index.js', 'blog/index.js')).toBe(child)
  } finally {
    process.argv = argv
    delete process.env.pm_exec_path
  }
})
