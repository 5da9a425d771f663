import { memoryStore } from '@sluice/core'
import { describeInTheirs } from './in-theirs.ts'

describeInTheirs('memory', () => memoryStore())
