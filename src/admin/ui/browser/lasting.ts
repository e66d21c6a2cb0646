import { useEffect, useState } from 'preact/hooks';

/** Milliseconds: what is over sooner would only flicker. */
const after = 250;

/** True once something has been true for a moment. */
export function useLasting(isOn: boolean): boolean {
  const [lasts, setLasts] = useState(false);
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setTimeout(() => setLasts(true), after);
    return () => {
      clearTimeout(timer);
      setLasts(false);
    };
  }, [isOn]);
  return isOn && lasts;
}
