import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from '@jest/globals'
import { begin, minimalServers, start } from '../minimal.ts'
import { killPrograms } from '../program.ts'

afterEach(killPrograms)

const servers = minimalServers()

test('a client that never finishes its request does not keep a minimal server from its end', async () => {
  const ends = servers.map(async ([framework, server]) => {
    const { program, port } = await start(server)
    const socket = await begin(port)
    // Another one is served after it, so the server has read what there is of the first.
    await fetch(`http://localhost:${port}/`).then((answer) => answer.text())
    program.signal('SIGTERM')
    return [framework, await program.ended(), await text(socket), program.stderr]
  })
  expect(await Promise.all(ends)).toEqual(servers.map(([framework]) => [framework, 0, '', '']))
})
