// Loaded before a program: puts its Date ahead by as many seconds as a file holds, which may change while it runs.
import { openSync, readSync } from 'node:fs'

const RealDate = globalThis.Date
const file = openSync(process.env.SLUICE_CLOCK_FILE, 'r')
const bytes = Buffer.alloc(8)

function now() {
  readSync(file, bytes, 0, bytes.length, 0)
  return RealDate.now() + Number(bytes.readBigInt64LE()) * 1000
}

globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})
