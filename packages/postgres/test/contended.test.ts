import { expect, it } from '@jest/globals'
import { Contended } from '../src/contended.ts'
import { Seats } from '../src/seats.ts'

it('a contended key is known for a second, and no more than a thousand are', () => {
  const contended = new Contended()
  contended.add('a', 0)
  expect(contended.among(['b', 'a'], 999)).toBe('a')
  expect(contended.among(['a'], 1000)).toBeUndefined()
  for (let i = 0; i < 1001; i++) contended.add(`key ${i}`, 2000)
  const known = Array.from({ length: 1001 }, (_, i) => contended.among([`key ${i}`], 2000))
  expect(known.filter((key) => key !== undefined)).toEqual(['key 1000'])
})

it('a seat is free again after a failure, for the next in the line or for whoever comes', async () => {
  const seats = new Seats(1)
  const fail = () => Promise.reject(new Error('no'))
  const both = [seats.run(fail), seats.run(async () => 'second')]
  await expect(both[0]).rejects.toThrow('no')
  expect(await both[1]).toBe('second')
  await expect(seats.run(fail)).rejects.toThrow('no')
  expect(await seats.run(async () => 'third')).toBe('third')
})
