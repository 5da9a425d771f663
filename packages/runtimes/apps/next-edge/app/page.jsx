// biome-ignore lint/style/noDefaultExport: Next.js reads it
export default function Page() {
  return <p>a page</p>
}
