import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { type WatchOptions, watchFile } from '../src/watch.ts'

let folder = ''
let file = ''
let watched: { close(): void } | undefined

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'watch-'))
  file = path.join(folder, 'limits.yaml')
  writeFileSync(file, 'first')
})

afterEach(() => {
  watched?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Watches the file: `next` resolves at the next change, and `count` says how many there were. */
function watching(
  options?: WatchOptions,
  watchedPath = file,
): { next: () => Promise<void>; count: () => number } {
  let changes = 0
  let notify = () => {}
  watched = watchFile(
    watchedPath,
    () => {
      changes++
      notify()
    },
    options,
  )
  const next = () =>
    new Promise<void>((resolve) => {
      notify = resolve
    })
  return { next, count: () => changes }
}

const aside = () => path.join(folder, 'limits.yaml.swp')

// biome-ignore format: a table
const ways: readonly (readonly [how: string, write: () => void])[] = [
  ['written in place',             () => writeFileSync(file, 'written')],
  ['truncated, then written',      () => { truncateSync(file); writeFileSync(file, 'written') }],
  ['renamed over',                 () => { writeFileSync(aside(), 'renamed'); renameSync(aside(), file) }],
  ['renamed away, then made anew', () => { renameSync(file, aside()); writeFileSync(file, 'anew') }],
  ['deleted, then made anew',      () => { unlinkSync(file); writeFileSync(file, 'anew') }],
  ['deleted',                      () => unlinkSync(file)],
]

describe('a file is another when it is', () => {
  it.each(ways)('%s, once and again', async (_how, write) => {
    // So slow to look by itself that it has to hear.
    const { next, count } = watching({ pollMs: 600_000 })
    let change = next()
    write()
    await change
    change = next()
    writeFileSync(file, 'and something else after that')
    await change
    expect(count()).toBe(2)
  })

  it('behind a link whose target changes, though nothing is heard of that', async () => {
    const elsewhere = mkdtempSync(path.join(tmpdir(), 'elsewhere-'))
    const target = path.join(elsewhere, 'limits.yaml')
    writeFileSync(target, 'first')
    unlinkSync(file)
    symlinkSync(target, file)
    const { next } = watching({ pollMs: 10 })
    const change = next()
    writeFileSync(target, 'second, in another folder')
    await change
    rmSync(elsewhere, { recursive: true })
  })

  it('in a folder that is made after the watch', async () => {
    rmSync(folder, { recursive: true })
    const { next } = watching({ pollMs: 10 })
    const change = next()
    mkdirSync(folder)
    writeFileSync(file, 'at last')
    await change
  })
})

describe('a folder is another when one of its YAML files is', () => {
  const other = () => path.join(folder, 'other.yml')
  // biome-ignore format: a table
  const changes: readonly (readonly [how: string, write: () => void, again: () => void])[] = [
    ['written, twice',             () => writeFileSync(file, 'written'),  () => writeFileSync(file, 'written, and again')],
    ['added, then deleted',        () => writeFileSync(other(), 'added'), () => unlinkSync(other())],
    ['deleted, then made anew',    () => unlinkSync(file),                () => writeFileSync(file, 'anew')],
    ['renamed, then renamed back', () => renameSync(file, other()),       () => renameSync(other(), file)],
  ]
  it.each(changes)('%s', async (_how, write, again) => {
    const { next, count } = watching({ pollMs: 600_000 }, folder)
    let change = next()
    write()
    await change
    change = next()
    again()
    await change
    expect(count()).toBe(2)
  })

  it('behind links, as Kubernetes swaps them', async () => {
    for (const version of ['..1', '..2']) {
      mkdirSync(path.join(folder, version))
      writeFileSync(path.join(folder, version, 'mounted.yaml'), version)
    }
    symlinkSync('..1', path.join(folder, '..data'))
    symlinkSync('..data/mounted.yaml', path.join(folder, 'mounted.yaml'))
    const { next, count } = watching({ pollMs: 600_000 }, folder)
    const change = next()
    symlinkSync('..2', path.join(folder, '..new'))
    renameSync(path.join(folder, '..new'), path.join(folder, '..data'))
    await change
    expect(count()).toBe(1)
  })

  it('where a link leads to another folder', async () => {
    const link = path.join(folder, 'current')
    for (const version of ['1', '2']) {
      mkdirSync(path.join(folder, version))
      writeFileSync(path.join(folder, version, 'limits.yaml'), version)
    }
    symlinkSync('1', link)
    const { next } = watching({ pollMs: 10 }, link)
    const change = next()
    symlinkSync('2', path.join(folder, 'next'))
    renameSync(path.join(folder, 'next'), link)
    await change
  })

  it('and not when another file is', async () => {
    const { next, count } = watching({ settleMs: 1, pollMs: 1 }, folder)
    for (const name of ['notes.txt', '.hidden.yaml', 'limits.yaml.swp'])
      writeFileSync(path.join(folder, name), 'x')
    mkdirSync(path.join(folder, 'deeper'))
    writeFileSync(path.join(folder, 'deeper', 'limits.yaml'), 'x')
    const change = next()
    writeFileSync(file, 'written')
    await change
    expect(count()).toBe(1)
  })
})

it('a neighbour is not the file', async () => {
  const { count } = watching({ settleMs: 1, pollMs: 1 })
  writeFileSync(aside(), 'neighbour')
  // While this one waits until its file is settled, the other looks many times.
  const neighbour = await new Promise<{ close(): void }>((resolve) => {
    const watch = watchFile(aside(), () => resolve(watch), { settleMs: 100 })
    writeFileSync(aside(), 'neighbour, written anew')
  })
  neighbour.close()
  expect(count()).toBe(0)
})

it('a file that is still being written is reported when it is done', async () => {
  const { next, count } = watching({ settleMs: 400 })
  let isDone = false
  const wasDone = next().then(() => isDone)
  // So many writes that the first look falls among them.
  for (let i = 0; i < 30; i++) {
    writeFileSync(file, 'line\n'.repeat(i))
    await setTimeout(20)
  }
  isDone = true
  expect(await wasDone).toBe(true)
  expect(count()).toBe(1)
})

it('nothing is reported after the end, also of what was heard before it', async () => {
  const closed = watching()
  const first = watched
  writeFileSync(file, 'heard')
  first?.close()
  const open = watching()
  const change = open.next()
  writeFileSync(file, 'yet another')
  await change
  expect(closed.count()).toBe(0)
})

it('leaves no timer behind once it is closed', () => {
  jest.useFakeTimers()
  try {
    watching()
    expect(jest.getTimerCount()).toBe(1)
    watched?.close()
    expect(jest.getTimerCount()).toBe(0)
  } finally {
    jest.useRealTimers()
  }
})
