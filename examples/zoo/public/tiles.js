// The animals, drawn on a tile of 40 by 40, painted in the order of their shapes. card.css says what ink and paper are.

const shape = (how) => (d) => ({ how, d })
const ink = shape('ink')
const paper = shape('paper')
const line = shape('line')
const tail = shape('tail')
const disc = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`

const animals = {
  tiger: [
    ink(
      'M0 6 22 10 0 13zM0 18 26 21.5 0 24.5zM0 29.5 20 32.5 0 36zM40 1 20 4.5 40 8zM40 12 25 15.5 40 19zM40 24 18 27.5 40 31z',
    ),
  ],
  penguin: [
    ink(
      'M20 4c7.5 0 11 6 11 13 0 4 3 7 3 10.5 0 1.5-2 1-3-.5C30.5 33 27 37 20 37S9.5 33 9 27c-1 1.5-3 2-3 .5C6 24 9 21 9 17 9 10 12.5 4 20 4z',
    ),
    paper('M20 17c5 0 7 4 7 9s-3 8-7 8-7-3-7-8 2-9 7-9z'),
    paper(disc(16.5, 11, 1.6) + disc(23.5, 11, 1.6)),
    paper('M17.5 14h5L20 17.5z'),
  ],
  owl: [
    ink(disc(12.5, 18, 9.5)),
    ink(disc(27.5, 18, 9.5)),
    paper(disc(12.5, 18, 6) + disc(27.5, 18, 6)),
    ink(disc(13.5, 18, 3) + disc(26.5, 18, 3)),
    ink('M17 26h6l-3 7z'),
  ],
  giraffe: [
    ink(
      'M0 0h11l2 7-6 5-7-2zM15 0h12l1 6-7 5-5-3zM31 0h9v9l-7 2-3-5zM0 14l6 1 3 8-4 5-5-1zM10 14l6-4 6 4-1 8-8 2zM25 13l5-4 8 5 1 8-9 2-5-4zM0 31l6-1 6 5-1 5H0zM9 28l5-1 9-1 3 6-4 8h-7l-2-6zM27 27l9-2 4 1v14H26l4-8z',
    ),
  ],
  seal: [
    ink(disc(20, 16, 11.5)),
    paper('M20 4.5c4.5 4 4.5 19 0 23-1.5-1-2.5-3-3-5.5.5-6 .5-6 0-12 .5-2.5 1.5-4.5 3-5.5z'),
    line('M4 37c8-1 10-5 16-5s8 4 16 5'),
  ],
  otter: [
    line(
      'M-2 11c4-5 8-5 11 0s7 5 11 0 7-5 11 0 7 5 11 0M-2 21c4-5 8-5 11 0s7 5 11 0 7-5 11 0 7 5 11 0M-2 31c4-5 8-5 11 0s7 5 11 0 7-5 11 0 7 5 11 0',
    ),
  ],
  elephant: [
    ink(
      'M4 9c5-4 10-2 12 2 2.5-1.5 5.5-1.5 8 0 2-4 7-6 12-2 3 3 2 11-2 14-3 2-6 1-8-1-.5 3-1.5 5-1.5 8 0 3 1.5 4 3.5 4v3c-5 0-8-2-8-7V20h0v10c0 5-1 6-3 6-3 0-3.5-8-4-12-2 2-5 3-8 1C1 20 1 12 4 9z',
    ),
    paper(disc(16.5, 17, 1.5) + disc(24, 17, 1.5)),
  ],
  meerkat: [
    ink(
      'M20 3c5 0 8 3.5 8 8 0 2.5-1 4-2.5 5.5 3 3 4 8 4 12.5 0 4-1 6-1.5 8H12c-.5-2-1.5-4-1.5-8 0-4.5 1-9.5 4-12.5C13 15 12 13.5 12 11c0-4.5 3-8 8-8z',
    ),
    paper('M20 20c3.5 0 5 4 5 8.5S23 36 20 36s-5-3-5-7.5 1.5-8.5 5-8.5z'),
    paper(disc(16.5, 10, 2) + disc(23.5, 10, 2)),
    ink(disc(16.8, 10, 1) + disc(23.2, 10, 1)),
    paper('M18.5 13.5h3L20 15.5z'),
  ],
  aquarium: [ink('M4 20c5-9 16-10 23-2l8-7c1 6 1 12 0 18l-8-7C20 30 9 29 4 20z'), paper(disc(12.5, 18, 2))],
  flamingo: [
    line('M20 39V24M20 24c-9 2-15-2-13-8 3 4 9 3 15 1 7-3 6-12 0-12-5 0-6 4-4 6'),
    ink('M15 10l4 1-1 5c-3-1-4-4-3-6z'),
  ],
  sloth: [
    line('M0 6h40M11 6c0 6 1 9 4 12M29 6c0 6-1 9-4 12'),
    ink(disc(20, 25, 10.5)),
    paper('M20 19c5 0 8 3 8 6s-3 6-8 6-8-3-8-6 3-6 8-6z'),
    ink('M12.5 24l6 .5-1 3-4-.5zM27.5 24l-6 .5 1 3 4-.5z'),
  ],
  parrot: [
    ink('M21 3c8 0 12 6 12 14 0 9-5 15-15 20 3-6 3-10 2-14-5 0-9-4-9-9C11 8 15 3 21 3z'),
    paper(disc(20, 11, 2.5)),
    paper('M11 14c-1 6 2 9 5 10 1-4-1-7-5-10z'),
  ],
  hippo: [
    ink(disc(11, 7, 4) + disc(29, 7, 4)),
    ink('M20 5c8 0 11 6 11 12 4 3 6 7 6 11 0 6-7 9-17 9S3 34 3 28c0-4 2-8 6-11C9 11 12 5 20 5z'),
    paper(disc(15, 14, 1.8) + disc(25, 14, 1.8) + disc(12, 26, 2.5) + disc(28, 26, 2.5)),
  ],
  turtle: [
    ink('M4 27C4 15 10 9 18 9s14 6 14 18z'),
    paper('M12 14l6-2 6 2 2 6-8 3-8-3z'),
    ink('M31 20c1-4 8-4 8 1 0 4-4 5-8 5zM7 28h6v5H7zM23 28h6v5h-6z'),
  ],
  lemur: [tail('M33 42C36 26 30 20 22 20S9 14 12 4')],
}

const tiles = new Map(Object.entries(animals))

/** Draws an attraction's animal into its tile; one that is not known here keeps an empty tile. */
export function drawTile(svg, id) {
  for (const { how, d } of tiles.get(id) ?? []) {
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
    path.setAttribute('class', how)
    path.setAttribute('d', d)
    svg.append(path)
  }
}
