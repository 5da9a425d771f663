import { memoryTime } from './memory.ts'

// Started by memoryInChild: how many keys, how many rounds, how long a turn.
const [keys = 0, rounds = 0, turnMs = 0] = process.argv.slice(2).map(Number)
console.log(JSON.stringify(await memoryTime(keys, { rounds, turnMs })))
