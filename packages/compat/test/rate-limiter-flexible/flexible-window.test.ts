import { describeStrategy } from '@sluice/conformance'
import { flexibleWindow } from '../../src/rate-limiter-flexible/flexible-window.ts'
import { windowVectors } from './window-vectors.ts'

describeStrategy(flexibleWindow, { vectors: windowVectors })
