import { useEffect, useState } from 'react'

const STARS = 'favourite_nodes'

/** The favourites, kept in this browser and the same in all of its tabs. */
export function useStars() {
  const [stars, setStars] = useState(read)
  useEffect(() => {
    const follow = () => setStars(read()) // fires for what other tabs change
    window.addEventListener('storage', follow)
    return () => window.removeEventListener('storage', follow)
  }, [])
  return {
    stars,
    toggle: (id: number) => {
      const next = new Set(read())
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
