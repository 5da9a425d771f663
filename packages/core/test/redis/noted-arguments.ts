import { type Connection, tellLater } from '../../src/redis/connection.ts'

/** The same connection, which notes the arguments of each call that decides. */
export function noting(connection: Connection, note: (args: readonly unknown[]) => void): Connection {
  connection.runFor = (script, { keys, args }, hearer) => {
    note(args)
    tellLater(connection.run(script, keys, args), hearer)
  }
  return connection
}
