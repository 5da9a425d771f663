import { createServer } from 'node:http'
import { handler } from './.tmp/handler.js'

const server = createServer(handler)
server.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`))
