import { Socket } from 'node:net'
import { expect, it } from '@jest/globals'
import { isLocalRequest } from '../src/index.ts'

it.each([
  ['127.0.0.1', true],
  ['192.0.2.1', false],
])('whether a request from %s is local: %s', (address, is) => {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address })
  expect(isLocalRequest({ socket, headers: { host: 'localhost' } })).toBe(is)
})
