// What is written for @fastify/rate-limit is taken here, and the other way round.
import theirs from '@fastify/rate-limit'
import face, * as faces from '@sluice/compat/fastify-rate-limit'

const both = <Theirs, Face>(_there: (theirs: Theirs) => Face, _here: (face: Face) => Theirs) => {}

both<theirs.errorResponseBuilderContext, faces.errorResponseBuilderContext>(
  (a) => a,
  (a) => a,
)
both<theirs.FastifyRateLimitOptions, faces.FastifyRateLimitOptions>(
  (a) => a,
  (a) => a,
)
both<theirs.FastifyRateLimitStore, faces.FastifyRateLimitStore>(
  (a) => a,
  (a) => a,
)
both<theirs.FastifyRateLimitStoreCtor, faces.FastifyRateLimitStoreCtor>(
  (a) => a,
  (a) => a,
)
both<theirs.RateLimitHook, faces.RateLimitHook>(
  (a) => a,
  (a) => a,
)
const max: Pick<theirs.CreateRateLimitOptions, 'max'> = { max: async () => 5 }
export const options: readonly [
  faces.RateLimitPluginOptions,
  faces.RateLimitOptions,
  faces.CreateRateLimitOptions,
] = [
  {} as theirs.RateLimitPluginOptions,
  {} as theirs.RateLimitOptions,
  { ...({} as theirs.CreateRateLimitOptions), ...max },
]
export const names: readonly string[] = [theirs.normalizeIP('::1'), faces.normalizeIP('::1', 64)]
export const plugins = [face, theirs, faces.fastifyRateLimit, theirs.fastifyRateLimit]
