import { expect, test } from '@jest/globals'
import { blocksOf, pages } from './pages.ts'

const programs = pages()
  .flatMap(blocksOf)
  .filter(({ info }) => info.startsWith('ts'))
  .map((block) => ({ ...block, code: block.code.replace(/\/\/ .*$/gm, '') }))
const servers = programs.filter(({ code }) => /redisStore\(/.test(code) && /\.listen\(/.test(code))

test('a server on a page that counts in Redis waits for it before it listens, and ends', () => {
  expect(servers.length).toBeGreaterThan(1)
  for (const { page, line, info, code } of servers) {
    const waits = code.indexOf('ready()')
    const listens = code.indexOf('.listen(')
    const ends = info === 'ts run' ? /server\.close\(\)/.test(code) : /SIGTERM/.test(code)
    expect({ page, line, waits: waits > 0 && waits < listens, ends }).toMatchObject({
      waits: true,
      ends: true,
    })
  }
})

// Its connection keeps the process alive.
test('a page whose program has operations says how they end', () => {
  const withOperations = programs.filter(({ code }) => code.includes('const ops = operations('))
  expect(withOperations.length).toBeGreaterThan(2)
  for (const { page } of withOperations)
    expect({
      page,
      ends: pages()
        .find(({ file }) => file === page)
        ?.text.includes('ops.close()'),
    }).toEqual({
      page,
      ends: true,
    })
})

// The reference shows calls, and no whole programs.
test('a program on a page that makes a queue in Redis waits for it, and does so before it offers a job', () => {
  const queues = programs.filter(
    ({ page, code }) => page !== 'docs/api.md' && /= (stream|list)Queue\b/.test(code),
  )
  const late = queues.filter(({ code }) => !/\.ready\(\)/.test(code.split(/\.offer\(|acceptJob\(/)[0] ?? ''))
  expect(queues.length).toBeGreaterThan(2)
  expect(late.map(({ page, line }) => `${page}:${line}`)).toEqual([])
})
