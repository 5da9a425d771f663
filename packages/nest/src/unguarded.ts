import type { OnApplicationBootstrap } from '@nestjs/common'
import type { ModulesContainer } from '@nestjs/core'
import { isApplied, RateLimitGuard } from './guard.ts'
import type { RateLimits } from './rate-limits.ts'

const message =
  'RateLimitModule has limits that nothing applies: add { provide: APP_GUARD, useClass: RateLimitGuard } to the providers of the root module, or @UseGuards(RateLimitGuard) to handlers'

/** Warns of limits without a guard, once the application has all of its own. */
export class Unguarded implements OnApplicationBootstrap {
  readonly #limits: RateLimits
  readonly #modules: ModulesContainer

  constructor(limits: RateLimits, modules: ModulesContainer) {
    this.#limits = limits
    this.#modules = modules
  }

  onApplicationBootstrap(): void {
    if (!isApplied(this.#limits) && !hasGuard(this.#modules))
      this.#limits.warned({ code: 'SLUICE_NO_GUARD', message })
  }
}

/** Also where a test has overridden it, or where it is made for each request. */
function hasGuard(modules: ModulesContainer): boolean {
  return [...modules.values()].some(({ providers, injectables }) =>
    [...providers, ...injectables].some(([token, { metatype }]) => isGuard(token) || isGuard(metatype)),
  )
}

function isGuard(type: unknown): boolean {
  if (typeof type !== 'function') return false
  return type === RateLimitGuard || type.prototype instanceof RateLimitGuard
}
