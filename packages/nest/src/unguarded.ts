import type { OnApplicationBootstrap } from '@nestjs/common'
import type { ApplicationConfig, ModulesContainer } from '@nestjs/core'
import { RateLimitGuard } from './guard.ts'
import { RateLimits } from './rate-limits.ts'

const messages = {
  none: 'RateLimitModule has limits that nothing applies: add { provide: APP_GUARD, useClass: RateLimitGuard } to the providers of the root module, or @UseGuards(RateLimitGuard) to handlers',
  again:
    'RateLimitModule was imported more than once, and nothing applies the limits of one import: import it in the root module alone, or add @UseGuards(RateLimitGuard) to handlers of the module that imports it',
}

/** As much of what Nest knows of a provider as shows who asks it. */
interface Wrapper {
  readonly instance: unknown
  readonly metatype: unknown
  readonly inject?: readonly unknown[] | null | undefined
  getCtorMetadata(): readonly Wrapper[] | undefined
  getPropertiesMetadata(): readonly { readonly wrapper: Wrapper }[] | undefined
}
type Named = readonly [token: unknown, wrapper: Wrapper]

/** Warns of limits without a guard, once the application has all of its own. */
export class Unguarded implements OnApplicationBootstrap {
  readonly #limits: RateLimits
  readonly #modules: ModulesContainer
  readonly #config: ApplicationConfig

  constructor(limits: RateLimits, modules: ModulesContainer, config: ApplicationConfig) {
    this.#limits = limits
    this.#modules = modules
    this.#config = config
  }

  onApplicationBootstrap(): void {
    const providers: Named[] = []
    const others: Named[] = []
    for (const { providers: ofModule, injectables, controllers } of this.#modules.values()) {
      providers.push(...ofModule)
      others.push(...injectables, ...controllers)
    }
    const all = [...providers, ...others].map(([, wrapper]) => wrapper)
    const globals = this.#config.getGlobalGuards()
    // Nest makes a guard that only stands among providers, and never asks it.
    const idle = providers.flatMap(([token, wrapper]) =>
      isGuard(token) && !globals.includes(wrapper.instance as RateLimitGuard) && !isTaken(wrapper, all)
        ? [wrapper]
        : [],
    )
    const applied = (limits: RateLimits) =>
      limits.guards >
      idle.filter((guard) => guard.getCtorMetadata()?.some(({ instance }) => instance === limits)).length
    if (applied(this.#limits)) return
    const isAgain = all.some(({ instance }) => instance instanceof RateLimits && applied(instance))
    if (isAgain || !hasGuard(providers, others))
      this.#limits.warned({ code: 'SLUICE_NO_GUARD', message: isAgain ? messages.again : messages.none })
  }
}

function isTaken(wrapper: Wrapper, all: readonly Wrapper[]): boolean {
  return all.some(
    (each) =>
      each.getCtorMetadata()?.includes(wrapper) === true ||
      each.getPropertiesMetadata()?.some((property) => property.wrapper === wrapper) === true,
  )
}

/** Also where a test has overridden it, or where it is made for each request. */
function hasGuard(providers: readonly Named[], others: readonly Named[]): boolean {
  return (
    providers.some(
      ([token, { metatype, inject }]) =>
        !isGuard(token) && (isGuard(metatype) || inject?.some(isGuard) === true),
    ) || others.some(([token, { metatype }]) => isGuard(token) || isGuard(metatype))
  )
}

function isGuard(type: unknown): boolean {
  if (typeof type !== 'function') return false
  return type === RateLimitGuard || type.prototype instanceof RateLimitGuard
}
