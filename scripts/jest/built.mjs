import { TestEnvironment } from 'jest-environment-node'

/** Lets a test import what was built as Node itself does: jest would take ES modules for scripts. */
export default class BuiltEnvironment extends TestEnvironment {
  #env = { ...process.env }

  async setup() {
    await super.setup()
    this.global.importBuilt = async (file, env) => {
      Object.assign(process.env, env)
      const module = await import(file)
      for (const name of Object.keys(env)) delete process.env[name]
      return { module, realm: globalThis }
    }
  }

  /**
   * What the module has set of the process's environment ends with the file, as the process goes on to others: Next.js 16 sets
   * TURBOPACK, by which a build of Next.js 15 would render its pages with what it was not built for.
   */
  async teardown() {
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name]
    Object.assign(process.env, this.#env)
    await super.teardown()
  }
}
