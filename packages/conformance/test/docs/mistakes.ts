/** What a user forgets, and what the compiler has to say of it. */
export const mistakes: readonly (readonly [code: string, message: string])[] = [
  ['express({})', "Argument of type '{}' is not assignable to parameter of type 'PolicyOrPoliciesOrLimiter<"],
  ["express({ name: 'api' })", "Property 'policy' is missing"],
  ["koa({ key: () => 'bob' })", "Property 'policy' is missing"],
  ["export const plugin: RateLimitPluginOptions = { name: 'api' }", "Property 'policy' is missing"],
  ['createLimiter({})', "Property 'policy' is missing"],
  ["createLimiter({ name: 'api' })", "Property 'policy' is missing"],
  [
    'export const limiter: Limiter = createLimiter({ policies: { a: policy } })',
    "Property 'default' is missing",
  ],
  ["void createLimiter({ policy }).wait('bob')", "or the type Policy<'reserve'>"],
]

const imports = `import { createLimiter, type Limiter, type Policy } from '@sluice/core'
import { rateLimit as express } from '@sluice/express'
import type { RateLimitPluginOptions } from '@sluice/fastify'
import { rateLimit as koa } from '@sluice/koa'
declare const policy: Policy
`

export const mistakesFile = 'mistakes.ts'
/** A program that makes them all, a line each. */
export const mistakesProgram: string = imports + mistakes.map(([code]) => code).join('\n')

/** What the compiler says of the line with this mistake. */
export function saidOf(code: string, said: readonly string[]): string {
  const line = imports.split('\n').length + mistakes.findIndex(([each]) => each === code)
  return said.filter((each) => each.startsWith(`${mistakesFile}(${line},`)).join('\n')
}
