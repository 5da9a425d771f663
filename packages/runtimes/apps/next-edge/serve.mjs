import { createServer } from 'node:http'
import next from 'next'

const server = createServer()
const app = next({ dev: false, dir: import.meta.dirname, httpServer: server, hostname: '127.0.0.1' })
await app.prepare()
server.on('request', app.getRequestHandler())
server.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`))
