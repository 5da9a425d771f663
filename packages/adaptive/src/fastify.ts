import { asError, type PlainAnswer } from '@sluice/http/internal'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { Intake, type ShedOptions } from './intake.ts'
import { handled } from './passage.ts'

export type { ShedOptions } from './intake.ts'

type Done = (error?: Error) => void

async function register(app: FastifyInstance, options: ShedOptions<FastifyRequest>): Promise<void> {
  const intake = new Intake(options)

  app.addHook('onRequest', function shed(request: FastifyRequest, reply: FastifyReply, done: Done): void {
    let answer: PlainAnswer | undefined
    try {
      answer = intake.enter(request, { headers: request.headers, response: reply.raw, reply })
    } catch (thrown) {
      done(asError(thrown))
      return
    }
    if (answer === undefined) {
      done()
      return
    }
    for (const [name, value] of answer.headers) reply.header(name, value)
    // To a text Fastify would add a charset, which JSON does not have.
    reply.code(answer.status).send(Buffer.from(answer.body))
  })
  app.addHook('onSend', function noteAnswer(_request, reply, _payload, done): void {
    handled(reply.raw)
    done()
  })
  app.addHook('onClose', async () => {
    if (options.load === undefined) intake.load.close()
  })
}

/**
 * Load shedding for Fastify 5, for all routes of the instance that registers it: before all that is work, so before rate limits.
 *
 * @example await app.register(shed, { priority: ({ url }) => (url === '/report' ? 'sheddable' : 'default') })
 */
export const shed: FastifyPluginAsync<ShedOptions<FastifyRequest>> = Object.assign(register, {
  // Fastify's own marks: the hooks belong to the instance that registers the plugin, not to a nested scope.
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: '@sluice/adaptive',
  [Symbol.for('plugin-meta')]: { name: '@sluice/adaptive', fastify: '5.x' },
})
