export interface Address {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
}
