/** The part of Eleventy that the site uses; it comes without types. */
declare module '@11ty/eleventy' {
  export interface EleventyConfig {
    setLibrary(name: 'md', library: { render(text: string, env?: object): string }): void
    addTemplate(inputPath: string, content: string, data: object): void
    addGlobalData(name: string, value: unknown): void
    addFilter(name: string, filter: (...values: never[]) => unknown): void
    setIncludesDirectory(folder: string): void
    setUseGitIgnore(use: boolean): void
    setQuietMode(quiet: boolean): void
  }

  export interface Written {
    readonly url: string
    readonly inputPath: string
    readonly content: string
  }

  export class Eleventy {
    constructor(
      input: string,
      output: string,
      options: {
        readonly quietMode?: boolean
        readonly configPath?: null
        config(config: EleventyConfig): void
      },
    )
    write(): Promise<readonly [unknown, readonly Written[]]>
  }
}
