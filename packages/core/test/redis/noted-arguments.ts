import { type Connection, passOn } from '../../src/redis/connection.ts'

/** The same connection, which notes the arguments of each call that decides. */
export function noting(connection: Connection, note: (args: readonly unknown[]) => void): Connection {
  connection.runFor = (script, { keys, args }, listener) => {
    note(args)
    passOn(connection.run(script, keys, args), listener)
  }
  return connection
}
