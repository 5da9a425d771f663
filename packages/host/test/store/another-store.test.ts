import { describeStore } from '@sluice/conformance'
import { hostUnderTest, skips } from './under-test.ts'

describeStore('host, the counts in another store', () => hostUnderTest('another store'), skips)
