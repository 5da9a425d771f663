import { describeStrategy } from '@sluice/conformance'
import { countingWindow } from '../../src/fastify-rate-limit/counting-window.ts'
import { countingVectors } from './counting-vectors.ts'

describeStrategy(countingWindow, { vectors: countingVectors })
