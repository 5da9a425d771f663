import { TestEnvironment } from 'jest-environment-node'

/** Lets a test import what was built as Node itself does: jest would take ES modules for scripts. */
export default class BuiltEnvironment extends TestEnvironment {
  async setup() {
    await super.setup()
    this.global.importBuilt = async (file, env) => {
      Object.assign(process.env, env)
      const module = await import(file)
      for (const name of Object.keys(env)) delete process.env[name]
      return { module, realm: globalThis }
    }
  }
}
