// Writes access.log.gz beside this file, the log of the walk-through in docs/sizing.md:
// node --conditions=sluice-source --import tsx packages/cli/sample/make-sample.ts
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { sampleLog } from './sample-log.ts'

writeFileSync(path.join(import.meta.dirname, 'access.log.gz'), gzipSync(sampleLog(), { level: 9 }))
