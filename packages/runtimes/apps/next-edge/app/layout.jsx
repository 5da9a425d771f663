// biome-ignore lint/style/noDefaultExport: Next.js reads it
export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
