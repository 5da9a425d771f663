import { startBun } from '../../src/server.ts'
import { describeRuntime } from './describe-runtime.ts'

describeRuntime('Bun', () => startBun(), { fieldsOfErrors: 'its own answer to an error knows no fields' })
