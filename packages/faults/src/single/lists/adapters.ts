import { inFile } from '../fault.ts'
import { type GuardedFault, noticedBy } from '../guarded.ts'

const express = ['packages/express/test/placement.test.ts', 'packages/express/test/express5.test.ts']
const fastify = [
  'packages/fastify/test/routes.test.ts',
  'packages/fastify/test/scopes.test.ts',
  'packages/fastify/test/hooks.test.ts',
  'packages/fastify/test/late-errors.test.ts',
  'packages/fastify/test/plugin.test.ts',
  'packages/fastify/test/ending.test.ts',
  'packages/fastify/test/fastify5.test.ts',
]
const koa = ['packages/koa/test/placement.test.ts', 'packages/koa/test/koa3.test.ts']
const nest = [
  'packages/nest/test/exception.test.ts',
  'packages/nest/test/module.test.ts',
  'packages/nest/test/on-fastify.test.ts',
  'packages/nest/test/on-express.test.ts',
]
const fetch = [
  'packages/fetch/test/platforms.test.ts',
  'packages/fetch/test/responses.test.ts',
  'packages/fetch/test/unread.test.ts',
  'packages/fetch/test/fetch.test.ts',
]

/** What each framework is given and gives. */
export const adapterFaults: readonly GuardedFault[] = [
  ...noticedBy(
    express,
    inFile(
      'packages/express/src/rate-limit.ts',
      [
        'a thrown nothing goes on',
        'next(asError(thrown))',
        'next(thrown)',
        'where a key function throws undefined the request passes without a limit',
      ],
      [
        'an answer is sent twice',
        'if (!res.headersSent) res.status(refusal.status)',
        'res.status(refusal.status)',
        'a refusal after another answer throws where nobody catches it',
      ],
      [
        'error handlers see no decision',
        'Object.assign(req, { rateLimit: bindingDecision(req) })\n  next(asError(thrown))',
        'next(asError(thrown))',
        'req.rateLimit is missing where a refusal is an error',
      ],
      [
        'trust in everybody is not seen',
        "read(req, 'app').get('trust proxy') === true",
        "read(req, 'app').get('trust proxy') === 'true'",
        'nobody is warned that clients choose their addresses',
      ],
    ),
  ),
  ...noticedBy(
    fastify,
    inFile(
      'packages/fastify/src/rate-limit.ts',
      [
        'HEAD has a count of its own',
        "method === 'HEAD' ? 'GET' : method",
        'method',
        'a client has twice the limit of a route',
      ],
      [
        'pages that are not there are counted',
        'if (request.is404) return undefined\n',
        '',
        'requests for nothing use up a client’s limit, and are counted again by the hook of the not-found handler',
      ],
      [
        'a limiter of somebody else is closed',
        'if (each !== limiter) await each.close?.()',
        'await each.close?.()',
        'an application that ends closes a limiter that others use',
      ],
    ),
    inFile(
      'packages/fastify/src/rate-limit.ts',
      [
        'an answer that has begun goes on after an error',
        'if (!reply.raw.writableEnded) reply.raw.destroy()',
        '',
        'a client waits for the rest of an answer for ever',
      ],
      [
        'an error cuts an answer that is whole',
        'if (!reply.raw.writableEnded) reply.raw.destroy()',
        'reply.raw.destroy()',
        'a client gets the first part of a large answer',
      ],
      [
        'only what is of the global Promise is awaited',
        'if (isLater(goes))',
        'if (goes instanceof Promise)',
        'beside zone.js no request with an async key is limited',
      ],
    ),
  ),
  ...noticedBy(
    ['packages/fastify/test/in-flight.test.ts'],
    inFile(
      'packages/fastify/src/in-flight.ts',
      [
        'what was sent at once is not over',
        'if (all.sent) all.whenSent()\n',
        '',
        'who resets streams of HTTP/2 takes places for ever',
      ],
      [
        'what a handler writes itself is not over',
        ' || reply.raw.headersSent',
        '',
        'a place stays taken behind an answer that a handler has begun past its reply',
      ],
    ),
  ),
  ...noticedBy(
    koa,
    inFile(
      'packages/koa/src/rate-limit.ts',
      [
        'a bounded chain is trusted too much',
        'ctx.app.proxy && !(ctx.app.maxIpsCount > 0)',
        'ctx.app.proxy',
        'an application that has set maxIpsCount gets a warning that does not apply',
      ],
      [
        'errors lose their fields',
        'bringFields(thrown, ctx)\n',
        '',
        'Koa clears all headers of an error, and clients see no limit',
      ],
    ),
  ),
  ...noticedBy(
    { tests: ['packages/koa/test/koa3.test.ts'], named: 'frees its place' },
    inFile('packages/koa/src/rate-limit.ts', [
      'a handler that throws keeps its place',
      'await next()\n  } finally {\n    work.end()\n  }',
      'await next()\n    work.end()\n  } finally {\n    void work\n  }',
      'each error takes a place in flight until its lease ends',
    ]),
  ),
  ...noticedBy(
    nest,
    inFile('packages/nest/src/pass.ts', [
      'an answer that has begun is sent again',
      'if (isReply(response) && response.raw.headersSent) response.hijack()\n',
      '',
      'Fastify sends headers twice, and the process ends',
    ]),
    inFile('packages/nest/src/exception.ts', [
      'a ban is too many requests',
      "403: 'FORBIDDEN',\n",
      '',
      'GraphQL says TOO_MANY_REQUESTS of who is denied',
    ]),
    inFile('packages/nest/src/filter.ts', [
      'a refusal gets a charset',
      '.serializer((text: string) => text)\n',
      '\n',
      'problem bodies on Fastify have another type than on Express',
    ]),
    inFile('packages/nest/src/http.ts', [
      'a trusted everybody is not seen under Nest',
      "request.app?.get('trust proxy') === true",
      "request.app?.get('trust proxy') === 'true'",
      'nobody is warned that clients choose their addresses',
    ]),
  ),
  ...noticedBy(
    ['packages/nest/test/graphql.test.ts'],
    inFile(
      'packages/nest/src/graphql.ts',
      [
        'a reply that answers nothing is taken for one',
        "return typeof response?.getHeader === 'function'\n",
        'return response !== undefined\n',
        'subscriptions of Mercurius fail, and keep their places',
      ],
      [
        'a request of no framework has no proxy',
        "return 'ip' in request ? factsOf(request) : serverFacts(request, trust)\n",
        'return factsOf(request as AnyRequest)\n',
        'all subscribers behind a proxy share one count',
      ],
    ),
  ),
  ...noticedBy(
    fetch,
    inFile('packages/fetch/src/facts.ts', [
      'one proxy too many is trusted',
      'if (comma < 0 || proxy === proxies) return',
      'if (comma < 0 || proxy > proxies) return',
      'a client chooses its address',
    ]),
    inFile(
      'packages/fetch/src/response-fields.ts',
      [
        'a handler’s own fields are written over',
        'if (!headers.has(lowerName)) headers.set(name, value)',
        'headers.set(name, value)',
        'an application’s own Cache-Control is lost',
      ],
      [
        'a response that is sent twice keeps old fields',
        'if (copy.headers.get(name) === value) copy.headers.delete(name)',
        'void copy',
        'a shared response says the first client’s numbers to all',
      ],
    ),
    inFile(
      'packages/fetch/src/watched-body.ts',
      [
        'the last piece is read ahead',
        'highWaterMark: 0',
        'highWaterMark: 1',
        'a response counts as read while its client has not taken it',
      ],
      [
        'a broken body is a whole one',
        'this.#watcher.end(true)\n      throw error',
        'this.#watcher.end(false)\n      throw error',
        'settle charges a response that was broken off',
      ],
      [
        'a cancelled body goes on',
        'await this.#reader.cancel(reason)\n',
        '',
        'the source of a response works on for a client that has gone',
      ],
    ),
    inFile('packages/fetch/src/passage.ts', [
      'an answer to HEAD is waited for',
      " || this.#request.method === 'HEAD'",
      '',
      'a HEAD request holds its place until its lease ends',
    ]),
  ),
]
