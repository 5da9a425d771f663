import { describeAdapter } from '@sluice/conformance/adapter'
import type { Express } from 'express'
import express from 'express4'
import { startOn } from './start.ts'

describeAdapter('Express 4', startOn(express as unknown as () => Express), [
  { scenario: 'HTTP/2', reason: 'Express has no HTTP/2' },
  {
    scenario: 'raw writes of a handler that has returned',
    reason: 'Express does not know when a handler ends',
  },
  { scenario: 'is known to work on', reason: 'Express does not know when a handler ends' },
  { scenario: 'is renewed once that works', reason: 'Express does not know when a handler ends' },
])
