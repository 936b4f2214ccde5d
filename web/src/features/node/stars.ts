import { useState } from 'react'

const STARS = 'favourite_nodes'

/** The favourites, kept in this browser. */
export function useStars() {
  const [stars, setStars] = useState(read)
  return {
    stars,
    toggle: (id: number) => {
      const next = new Set(stars)
      if (!next.delete(id)) next.add(id)
      localStorage.setItem(STARS, JSON.stringify([...next]))
      setStars(next)
    },
  }
}

function read(): ReadonlySet<number> {
  try {
    return new Set(JSON.parse(localStorage.getItem(STARS) ?? '[]') as number[])
  } catch {
    return new Set()
  }
}
