import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { onFreePort, Reader } from './reader.ts'
import { programOf } from './steps.ts'

/** As every application of Nest begins. */
const main = `import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import { AppModule } from './app.module'

async function bootstrap() {
  const app = await NestFactory.create(AppModule, { logger: false })
  await app.listen(3000)
  console.log('listening')
}
void bootstrap()
`

/** Says something twelve times, and prints what comes back. */
const talk = `import { io } from 'socket.io-client'
const socket = io('http://localhost:3000')
const heard = []
const hear = (word) => {
  if (heard.push(word) < 12) return
  console.log(JSON.stringify(heard))
  socket.close()
}
socket.on('said', () => hear('said'))
socket.on('exception', ({ status, reason, retryAfter }) => hear([status, reason, retryAfter]))
for (let i = 0; i < 12; i++) socket.emit('say')
`

const graphql = [
  '@nestjs/graphql',
  '@nestjs/apollo',
  '@apollo/server',
  '@as-integrations/express5',
  'graphql',
]
const sockets = ['@nestjs/websockets', '@nestjs/platform-socket.io', 'socket.io-client']
const ofNest = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/platform-express',
  'reflect-metadata',
  'rxjs',
  '@types/node',
]

describe('Nest with GraphQL and sockets, of docs/nest.md', () => {
  let reader: Reader
  let url = ''
  beforeAll(async () => {
    reader = new Reader({})
    await reader.install('@sluice/nest', '@sluice/core', ...ofNest, ...graphql, ...sockets)
    const { port, code } = await onFreePort(main)
    url = `http://localhost:${port}`
    reader.write('main.ts', code)
    for (const file of ['app.module.ts', 'chat.gateway.ts'])
      reader.write(file, programOf('docs/nest.md', file))
    // As Nest's own command line has it.
    const decorators = { experimentalDecorators: true, emitDecoratorMetadata: true }
    expect(await reader.compile(decorators)).toBe('')
    await reader.start('dist/main.js')
  })
  afterAll(() => reader.leave())

  async function ask(query: string) {
    const headers = { 'Content-Type': 'application/json' }
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    })
    const left = response.headers.get('x-ratelimit-remaining')
    return { left, answer: JSON.parse(await response.text()) as unknown }
  }

  it('a query has the count of the module, a mutation its own', async () => {
    expect(await ask('{ hello }')).toEqual({ left: '99', answer: { data: { hello: 'hello' } } })
    expect(await ask('mutation { login }')).toEqual({ left: '0', answer: { data: { login: 'welcome' } } })
    expect(await ask('{ hello }')).toMatchObject({ left: '98' })
  })

  it('a refused field is an error that says why and for how long, and another field is answered', async () => {
    const { answer } = await ask('mutation { login }')
    expect(answer).toMatchObject({
      data: null,
      errors: [{ message: 'Too Many Requests', path: ['login'] }],
    })
    const [{ extensions }] = (answer as { errors: [{ extensions: Record<string, unknown> }] }).errors // as asserted
    expect(extensions).toMatchObject({ code: 'TOO_MANY_REQUESTS', reason: 'limited' })
    expect(extensions.retryAfterMs).toBeGreaterThan(23 * 3_600_000)
  })

  it('ten messages of a socket pass, and two are told to wait', async () => {
    const port = new URL(url).port
    reader.write('talk.mjs', talk.replace('3000', port))
    const { code, output } = await reader.run(['talk.mjs'])
    expect(code).toBe(0)
    const heard = JSON.parse(output) as readonly unknown[] // the program prints it
    // What is refused may be heard before what has passed.
    expect(heard.filter((word) => word === 'said')).toHaveLength(10)
    const others = heard.filter((word) => word !== 'said')
    expect(others).toEqual(Array(2).fill(['error', 'limited', expect.any(Number)]))
  })
})
