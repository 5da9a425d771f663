import { type DynamicModule, type FactoryProvider, Module, type ModuleMetadata } from '@nestjs/common'
import {
  ApplicationConfig,
  DiscoveryModule,
  DiscoveryService,
  HttpAdapterHost,
  ModulesContainer,
} from '@nestjs/core'
import { checkNames, optionError } from '@sluice/core/internal'
import { RateLimitFilter } from './filter.ts'
import type { RateLimitModuleOptions } from './options.ts'
import { RateLimits } from './rate-limits.ts'
import { Unguarded } from './unguarded.ts'
import { RateLimitInterceptor, watchAnswers } from './work.ts'

/** Options that other providers supply. */
export interface RateLimitModuleAsyncOptions {
  /** The modules that export the injected providers. */
  imports?: ModuleMetadata['imports']
  /** The tokens of the arguments of `useFactory`, in their order. */
  inject?: FactoryProvider['inject']
  // biome-ignore lint/suspicious/noExplicitAny: what is injected, which only the application knows
  useFactory: (...injected: any[]) => RateLimitModuleOptions | Promise<RateLimitModuleOptions>
}

const optionsToken: unique symbol = Symbol('sluice rate limit options')

const limitsProvider: FactoryProvider<RateLimits> = {
  provide: RateLimits,
  inject: [optionsToken, DiscoveryService, ApplicationConfig, HttpAdapterHost],
  useFactory: (
    options: RateLimitModuleOptions,
    discovery: DiscoveryService,
    config: ApplicationConfig,
    host: HttpAdapterHost,
  ) => {
    // Here they come before all others: a filter of the application is asked first, and its interceptors are part of a handler's work.
    config.addGlobalFilter(new RateLimitFilter(host.httpAdapter))
    config.addGlobalInterceptor(new RateLimitInterceptor())
    watchAnswers(host.httpAdapter)
    return new RateLimits(options, discovery)
  },
}

const unguardedProvider: FactoryProvider<Unguarded> = {
  provide: Unguarded,
  inject: [RateLimits, ModulesContainer, ApplicationConfig],
  useFactory: (limits: RateLimits, modules: ModulesContainer, config: ApplicationConfig) =>
    new Unguarded(limits, modules, config),
}

function moduleWith(options: FactoryProvider, imports: ModuleMetadata['imports'] = []): DynamicModule {
  return {
    module: RateLimitModule,
    global: true,
    imports: [DiscoveryModule, ...imports],
    providers: [options, limitsProvider, unguardedProvider],
    exports: [RateLimits],
  }
}

/**
 * The limits of a Nest 10, 11 or 12 application, on Express or Fastify; `RateLimitGuard` applies them. Import it once, in the root
 * module.
 *
 * @example
 * @Module({
 *   imports: [RateLimitModule.forRoot({ policy: gcra({ count: 100, period: '1m' }), store: redisStore('redis://localhost') })],
 *   providers: [{ provide: APP_GUARD, useClass: RateLimitGuard }],
 * })
 * class AppModule {}
 */
// biome-ignore lint/complexity/noStaticOnlyClass: what Nest calls a dynamic module
export class RateLimitModule {
  static forRoot(options: RateLimitModuleOptions): DynamicModule {
    return moduleWith({ provide: optionsToken, useFactory: () => options })
  }

  /**
   * The same with options from other providers.
   *
   * @example
   * RateLimitModule.forRootAsync({
   *   inject: [ConfigService],
   *   useFactory: (config: ConfigService) => ({ policy: gcra({ count: config.get('perMinute'), period: '1m' }) }),
   * })
   */
  static forRootAsync(options: RateLimitModuleAsyncOptions): DynamicModule {
    checkNames(options, '', ['imports', 'inject', 'useFactory'])
    const { imports, inject = [], useFactory } = options
    if (typeof useFactory !== 'function')
      throw optionError('useFactory', 'a function that returns the options of forRoot', useFactory)
    return moduleWith({ provide: optionsToken, inject, useFactory }, imports)
  }
}

Module({})(RateLimitModule)
