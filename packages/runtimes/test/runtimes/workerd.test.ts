import { startWorkerd } from '../../src/server.ts'
import { describeRuntime } from './describe-runtime.ts'

describeRuntime('workerd', () => startWorkerd(), {
  addressField: 'CF-Connecting-IP',
  fieldsOfErrors: 'its own answer to an error knows no fields',
  hangUps: 'it notices one when it writes',
  waits: 'no request of a worker can wake another',
})
