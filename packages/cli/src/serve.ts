import { type Command, Option } from 'commander'
import { type Done, UsageError } from './exit-code.ts'
import { addRedis } from './live/connection.ts'
import type { ServeFlags } from './serve/run-serve.ts'

const help = `
Examples:
  $ sluice serve limits.yaml
  $ sluice serve limits.yaml --url redis://localhost --grpc 0.0.0.0:8081 --http off
  $ sluice serve --envoy-config config/ --url redis://localhost
  $ curl -d '{"path":["user","alex"]}' http://127.0.0.1:8080/check

Redis is found by --url, or by the environment: REDIS_URL, REDIS_USERNAME and REDIS_PASSWORD. Without, this process counts in memory.
It listens on this machine only unless an address says otherwise: who can reach it can use limits up.
A change of the file applies at once, without SIGHUP; a file with problems changes nothing. SIGTERM and Ctrl-C end it when its
requests are answered.`

/** `sluice serve FILE`, `sluice serve --envoy-config PATH` */
export function addServe(program: Command, done: Done): void {
  addRedis(program.command('serve'))
    .description(
      "Serves a file of limits to every language: Envoy's rate limit protocol over gRPC, and a small HTTP API.",
    )
    .argument('[file]', 'a YAML file of limits such as limits.yaml')
    .option('--envoy-config <path>', 'in its place the files of envoyproxy/ratelimit: a folder, or one file')
    .option('--grpc <address>', 'where to speak gRPC: host:port, port, or off', '127.0.0.1:8081')
    .option('--http <address>', 'where to speak HTTP: host:port, port, or off', '127.0.0.1:8080')
    .addOption(new Option('--port <port>').hideHelp().argParser(toldPorts))
    .option('--name <name>', 'the name in keys and metrics', 'service')
    .option('--prefix <prefix>', 'prefix of every key in Redis', '')
    .option('--shadow', 'decide and count, and refuse nobody')
    .option('--unmatched <choice>', 'what happens without any limit: allow or deny', 'allow')
    .option(
      '--draft <number>',
      'tell clients RateLimit fields of this IETF draft (6, 7 or 8) besides X-RateLimit',
    )
    .option('--max-connection-age <time>', 'how old a gRPC connection may become, such as 5m')
    .option('--tls-cert <file>', 'speak TLS with this certificate, in PEM; read again when it changes')
    .option('--tls-key <file>', 'the key of the certificate')
    .option('--tls-client-ca <file>', 'authorities of the certificates that clients have to show')
    .option('--token-file <file>', 'clients of /check, /json and /auth have to send the token in it')
    .option('--drain <time>', 'how long its health says that it ends before it takes no more', '2s')
    .option('--grace <time>', 'how long requests under way may take at the end', '5s')
    .addHelpText('after', help)
    .action(async (file: string | undefined, flags: ServeFlags) => {
      const { runServe } = await import('./serve/run-serve.ts')
      done(await runServe(file, flags))
    })
}

/** Other programs have one port. */
function toldPorts(port: string): never {
  throw new UsageError(`--port ${port}: write --http ${port} or --grpc ${port}`)
}
