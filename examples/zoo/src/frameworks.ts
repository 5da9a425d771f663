import type { Server } from 'node:http'
import type { Zoo } from './zoo.ts'

/** A server that is ready to listen. Only the chosen framework is loaded. */
type Serve = (zoo: Zoo) => Server | Promise<Server>

const express = {
  label: 'Express 5',
  load: async (): Promise<Serve> => (await import('./express.ts')).expressServer,
}
const fastify = {
  label: 'Fastify 5',
  load: async (): Promise<Serve> => (await import('./fastify.ts')).fastifyServer,
}
const koa = { label: 'Koa 3', load: async (): Promise<Serve> => (await import('./koa.ts')).koaServer }

export const frameworks = { express, fastify, koa }
export type FrameworkName = keyof typeof frameworks

export function isFramework(name: string): name is FrameworkName {
  return Object.hasOwn(frameworks, name)
}
