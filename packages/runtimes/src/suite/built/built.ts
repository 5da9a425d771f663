type Env = Readonly<Record<string, string>>

/** What the environment of these tests gives them. */
interface Environment {
  importBuilt(file: string, env: Env): Promise<{ readonly module: object; readonly realm: object }>
}

/** A module as Node itself imports it under more settings, and the globals that it sees. */
export function importBuilt<M>(
  file: string,
  env: Env,
): Promise<{ readonly module: M; readonly realm: object }> {
  return (globalThis as unknown as Environment).importBuilt(file, env) as ReturnType<typeof importBuilt<M>> // as it was built
}
