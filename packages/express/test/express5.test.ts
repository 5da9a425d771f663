import { describeAdapter } from '@sluice/conformance/adapter'
import express from 'express'
import { startOn } from './start.ts'

describeAdapter('Express 5', startOn(express), [
  { scenario: 'HTTP/2', reason: 'Express has no HTTP/2' },
  {
    scenario: 'raw writes of a handler that has returned',
    reason: 'Express does not know when a handler ends',
  },
  { scenario: 'is known to work on', reason: 'Express does not know when a handler ends' },
  { scenario: 'is renewed once that works', reason: 'Express does not know when a handler ends' },
])
