import { startDeno } from '../../src/server.ts'
import { describeRuntime } from './describe-runtime.ts'

describeRuntime('Deno', () => startDeno(), { fieldsOfErrors: 'its own answer to an error knows no fields' })
