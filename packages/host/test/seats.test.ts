import { existsSync, linkSync, mkdirSync, readdirSync, statSync, unlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { type Seat, takePlace, takeSeat } from '../src/seats.ts'
import { Here } from './here.ts'

let here = new Here()
let seats: Seat[] = []

beforeEach(() => {
  here = new Here()
  seats = []
})
afterEach(async () => {
  for (const seat of seats) give(seat)
  await here.close()
})

async function take(): Promise<Seat> {
  const seat = await takeSeat(here.folder)
  seats.push(seat)
  return seat
}

function give(seat: Seat): void {
  if ('socket' in seat) {
    seat.socket.destroy()
    return
  }
  seat.at.leave()
  seat.server.close()
}

/** As a process leaves its socket that was killed: it listens no longer. */
async function leaveDead(name: string): Promise<void> {
  const server = createServer()
  const file = path.join(here.folder, name)
  const other = `${file}-`
  await new Promise<void>((resolve) => server.listen(other, resolve))
  linkSync(other, file)
  await new Promise((resolve) => server.close(resolve))
}

function isHeld(seat: Seat): boolean {
  return 'server' in seat
}

it('of many who begin at once one holds the counts', async () => {
  const all = await Promise.all(Array.from({ length: 30 }, () => take()))
  expect(all.filter(isHeld)).toHaveLength(1)
})

it.each([1, 2, 3])(
  'of many who find sockets of dead processes one holds the counts, time after time (%i dead)',
  async (dead) => {
    give(await takeSeat(here.folder))
    for (let round = 0; round < 20; round++) {
      mkdirSync(here.folder, { recursive: true, mode: 0o700 })
      for (let i = 1; i <= dead; i++) await leaveDead(`${3 * i}.sock`)
      const all = await Promise.all(Array.from({ length: 8 }, () => takeSeat(here.folder)))
      expect(all.filter(isHeld)).toHaveLength(1)
      // The dead ones are gone.
      expect(readdirSync(here.folder)).toEqual([`${3 * dead + 1}.sock`])
      for (const seat of all) give(seat)
    }
  },
)

it('one whose connection a dying process has not accepted any more looks again, and holds the counts', async () => {
  give(await takeSeat(here.folder))
  mkdirSync(here.folder, { recursive: true, mode: 0o700 })
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(path.join(here.folder, '7.sock'), resolve))
  // It connects at once; the server has no turn to accept it.
  const taken = take()
  server.close()
  expect(isHeld(await taken)).toBe(true)
})

it('one who has seen a dead socket, and comes late, takes nothing from who holds the counts by now', async () => {
  give(await takeSeat(here.folder))
  mkdirSync(here.folder, { recursive: true, mode: 0o700 })
  await leaveDead('7.sock')
  const { mtimeNs, ino, dev } = statSync(path.join(here.folder, '7.sock'), { bigint: true })
  const seen = new Map([['7.sock', `${dev}:${ino}:${mtimeNs}`]])
  // Meanwhile another has taken its place and given it up, and all began anew.
  const other = await take()
  expect(isHeld(other)).toBe(true)
  unlinkSync(path.join(here.folder, '8.sock'))
  const holder = await take()
  expect(isHeld(holder)).toBe(true)
  expect(readdirSync(here.folder)).toEqual(['1.sock'])
  expect(await takePlace(here.folder, seen)).toBeUndefined()
  expect(readdirSync(here.folder)).toEqual(['1.sock'])
  expect(isHeld(await take())).toBe(false)
})

it('a socket is its user’s alone, and nothing is left behind', async () => {
  const seat = await takeSeat(here.folder)
  expect(statSync(here.folder).mode & 0o777).toBe(0o700)
  expect(statSync(path.join(here.folder, '1.sock')).mode & 0o777).toBe(0o600)
  give(seat)
  expect(existsSync(here.folder)).toBe(false)
})

it('who holds the counts sees that its socket was removed', async () => {
  const seat = await take()
  if (!('server' in seat)) throw new Error('nobody else was there')
  expect(seat.at.holds()).toBe(true)
  unlinkSync(path.join(here.folder, '1.sock'))
  expect(seat.at.holds()).toBe(false)
  // Another's by now.
  const other = await take()
  expect(isHeld(other)).toBe(true)
  expect(seat.at.holds()).toBe(false)
  seat.at.leave()
  expect(readdirSync(here.folder)).toEqual(['1.sock'])
})
