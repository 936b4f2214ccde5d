import { useEffect, useState } from 'react'

/** A set kept in this browser, the same in all of its tabs. */
export function useStoredSet<T extends string | number>(key: string) {
  const [values, setValues] = useState(() => read<T>(key))
  useEffect(() => {
    const follow = () => setValues(read(key)) // fires for what other tabs change
    window.addEventListener('storage', follow)
    return () => window.removeEventListener('storage', follow)
  }, [key])
  return {
    values,
    toggle: (value: T) => {
      const next = new Set(read<T>(key))
      if (!next.delete(value)) next.add(value)
      localStorage.setItem(key, JSON.stringify([...next]))
      setValues(next)
    },
  }
}

function read<T>(key: string): ReadonlySet<T> {
  try {
    return new Set(JSON.parse(localStorage.getItem(key) ?? '[]') as T[])
  } catch {
    return new Set()
  }
}
